/// A symmetric 2 × 2 matrix.
struct SymmetricMatrix: Sendable, Equatable {
  /// The first diagonal element.
  var first: Double
  /// The off-diagonal element.
  var both: Double
  /// The second diagonal element.
  var second: Double

  private var determinant: Double { first * second - both * both }

  /// The symmetric square root of a positive definite matrix.
  private var squareRoot: SymmetricMatrix {
    let root: Double = max(determinant, 0).squareRoot()
    let factor: Double = 1 / (first + second + 2 * root).squareRoot()
    return SymmetricMatrix(
      first: (first + root) * factor, both: both * factor, second: (second + root) * factor)
  }

  private var inverse: SymmetricMatrix {
    let factor: Double = 1 / determinant
    return SymmetricMatrix(first: second * factor, both: -both * factor, second: first * factor)
  }

  /// Returns `self · other · self`.
  private func enclosing(_ other: SymmetricMatrix) -> SymmetricMatrix {
    let (one, two, three, four) = (
      first * other.first + both * other.both, first * other.both + both * other.second,
      both * other.first + second * other.both, both * other.both + second * other.second
    )
    return SymmetricMatrix(
      first: one * first + two * both, both: one * both + two * second,
      second: three * both + four * second)
  }

  /// Returns the symmetric matrix T with `T · self · T = target`. `self` and `target` must be positive definite.
  func map(to target: SymmetricMatrix) -> SymmetricMatrix {
    let root: SymmetricMatrix = squareRoot
    return root.inverse.enclosing(root.enclosing(target).squareRoot)
  }

  /// Returns the matrix with the same eigenvectors, and with the eigenvalues clamped to a range.
  func withEigenvalues(in range: ClosedRange<Double>) -> SymmetricMatrix {
    let mean: Double = (first + second) / 2
    let half: Double = ((first - second) * (first - second) / 4 + both * both).squareRoot()
    func limited(_ value: Double) -> Double {
      min(range.upperBound, max(range.lowerBound, value))
    }
    let (large, small) = (limited(mean + half), limited(mean - half))
    guard half > 1e-12 else { return SymmetricMatrix(first: large, both: 0, second: large) }
    // The result is a linear combination of this matrix and the identity.
    let slope: Double = (large - small) / (2 * half)
    let shift: Double = large - slope * (mean + half)
    return SymmetricMatrix(
      first: slope * first + shift, both: slope * both, second: slope * second + shift)
  }
}
