package main

import (
	"syscall"
	"time"
)

// sleep sleeps in the kernel, on this thread.
func sleep(duration time.Duration) {
	left := syscall.NsecToTimespec(duration.Nanoseconds())
	_ = syscall.Nanosleep(&left, nil)
}
