extension Constant {
  /// One value everywhere; constants of the same value and shape are the same constant.
  public static func repeating(_ value: Float, _ shape: Shape) -> Constant {
    Constant(shape, recipe: "\(value) as \(shape)", of: []) {
      [Float](repeating: value, count: shape.count)
    }
  }

  /// So many values in a row: these, or the only one repeated; nil where there is another number of them.
  public func stretched(to count: Int) -> Constant? {
    if self.count == count { return reshaped(to: [count]) }
    guard self.count == 1 else { return nil }
    return Constant([count], recipe: "repeated \(count) times", of: [self]) { [self] in
      [Float](repeating: try floats()[0], count: count)
    }
  }
}
