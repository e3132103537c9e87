/// Computes with long vectors. Sums are in `Double` and in a fixed order.
enum Vectors {
  private static let lanes = 8

  /// Returns the dot product `Σ first · second`.
  static func dot(_ first: [Float], _ second: [Float]) -> Double {
    precondition(first.count == second.count)
    return first.withUnsafeBufferPointer { (a: UnsafeBufferPointer<Float>) -> Double in
      second.withUnsafeBufferPointer { (b: UnsafeBufferPointer<Float>) -> Double in
        var sums = SIMD8<Double>(repeating: 0)
        let whole: Int = a.count / lanes * lanes
        var index: Int = 0
        // Safe: `index` and `whole` are multiples of 8, and `index` is the smaller one. So the eight elements from
        // `index` on are inside both arrays.
        while index < whole {
          var left = SIMD8<Float>()
          var right = SIMD8<Float>()
          for lane in 0..<lanes {
            left[lane] = a[index + lane]
            right[lane] = b[index + lane]
          }
          sums += SIMD8<Double>(left) * SIMD8<Double>(right)
          index += lanes
        }
        var rest: Double = 0
        while index < a.count {
          rest += Double(a[index]) * Double(b[index])
          index += 1
        }
        return sums.sum() + rest
      }
    }
  }

  /// Adds `factor · other` to `target`.
  static func add(_ factor: Double, _ other: [Float], to target: inout [Float]) {
    precondition(target.count == other.count)
    let factor = Float(factor)
    target.withUnsafeMutableBufferPointer { (target: inout UnsafeMutableBufferPointer<Float>) in
      other.withUnsafeBufferPointer { (other: UnsafeBufferPointer<Float>) in
        for index in 0..<target.count { target[index] += factor * other[index] }
      }
    }
  }

  /// Multiplies `target` by `factor`.
  static func scale(_ target: inout [Float], by factor: Double) {
    let factor = Float(factor)
    target.withUnsafeMutableBufferPointer { (target: inout UnsafeMutableBufferPointer<Float>) in
      for index in 0..<target.count { target[index] *= factor }
    }
  }

  /// Returns `first + factor · second`.
  static func sum(_ first: [Float], _ factor: Double, _ second: [Float]) -> [Float] {
    var result: [Float] = first
    add(factor, second, to: &result)
    return result
  }

  /// Returns `first − second`.
  static func difference(_ first: [Float], _ second: [Float]) -> [Float] { sum(first, -1, second) }
}
