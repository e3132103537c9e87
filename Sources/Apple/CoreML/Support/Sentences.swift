/// Returns a shape as text for error messages, such as `1 × 3 × 224`.
func sentence(_ shape: [Int]) -> String {
  shape.isEmpty ? "scalar" : shape.map(String.init).joined(separator: " × ")
}
