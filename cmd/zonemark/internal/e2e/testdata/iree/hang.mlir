// A loop without an end, in the bytecode interpreter.
func.func @forever(%a: i32) -> i32 {
  cf.br ^loop(%a : i32)
^loop(%i: i32):
  %one = arith.constant 1 : i32
  %next = arith.addi %i, %one : i32
  %zero = arith.constant 0 : i32
  %never = arith.cmpi eq, %zero, %one : i32
  cf.cond_br %never, ^end(%next : i32), ^loop(%next : i32)
^end(%r: i32):
  return %r : i32
}
