/// The order of values along an axis: not-a-number counts as greater than every number, and what
/// is equal keeps its order.
package func isOrdered(_ first: Double, before second: Double, descending: Bool) -> Bool {
  let (left, right) = descending ? (second, first) : (first, second)
  if left.isNaN || right.isNaN { return right.isNaN && !left.isNaN }
  return left < right
}
