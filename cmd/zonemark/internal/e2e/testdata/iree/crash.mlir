// An integer division that the bytecode interpreter carries out in C: by zero it ends the process by SIGFPE.
func.func @divide(%a: i32, %b: i32) -> i32 {
  %q = arith.divsi %a, %b : i32
  return %q : i32
}
