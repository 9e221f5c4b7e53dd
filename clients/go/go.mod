module git.example/quintet/clients/go

go 1.24
