//! Generates the client from the protos. protox compiles them, so that no protoc is needed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=../../proto");
    let files = protox::compile(
        ["quintet/tokenprice/v1/token_price.proto"],
        ["../../proto", "../../third_party"],
    )?;
    tonic_prost_build::configure()
        .build_server(false)
        .compile_fds(files)?;
    Ok(())
}
