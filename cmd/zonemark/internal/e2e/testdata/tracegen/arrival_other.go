//go:build !linux

package main

import "errors"

var errLinuxOnly = errors.New("this scenario needs Linux")

func waitForArrival(uintptr) error { return errLinuxOnly }

func hold() error { return errLinuxOnly }
