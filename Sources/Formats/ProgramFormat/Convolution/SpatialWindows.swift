import Graph
import Operators

/// The windows of a convolution or pooling operation along one to three spatial axes.
struct SpatialWindows {
  /// The distance between adjacent windows along each axis, in elements.
  private(set) var strides: [Int]
  /// The distance between adjacent elements of a window along each axis, in elements.
  private(set) var dilations: [Int]
  /// The padding before and after each axis of the input.
  private(set) var padding: WindowPadding

  /// Reads the parameters `strides`, `dilations`, `pad_type` and `pad` of an operation. `axes` is the number of spatial
  /// axes.
  init(_ operation: ProgramOperation, axes: Int) throws {
    strides = try operation.sizes("strides", count: axes)
    dilations = try operation.sizes("dilations", count: axes)
    let kind: String = try operation.string("pad_type", or: "valid").lowercased()
    switch kind {
    case "valid":
      let none = [Int](repeating: 0, count: axes)
      padding = .amounts(before: none, after: none)
    case "same": padding = .same(startHeavy: false)
    case "same_lower": padding = .same(startHeavy: true)
    case "custom":
      let pad: [Int] = try operation.sizes("pad", count: 2 * axes, least: 0, or: 0)
      padding = .amounts(
        before: (0..<axes).map { pad[2 * $0] }, after: (0..<axes).map { pad[2 * $0 + 1] })
    default:
      throw operation.invalid(
        "pad_type is '\(kind)', expected valid, same, same_lower or custom.")
    }
  }

  /// Adds a spatial axis of extent one before the existing axes.
  mutating func expand() {
    strides.insert(1, at: 0)
    dilations.insert(1, at: 0)
    padding.expand()
  }
}

extension ProgramOperation {
  /// Returns sizes that the program states, one per axis. If the input is omitted, all sizes are `standard`.
  func sizes(_ input: String, count: Int, least: Int = 1, or standard: Int = 1) throws -> [Int] {
    guard let sizes = try optionalInts(input) else {
      return [Int](repeating: standard, count: count)
    }
    guard sizes.count == count else {
      throw invalid("'\(input)' has \(sizes.count) numbers, expected \(count).")
    }
    guard let bad = sizes.first(where: { !(least...1 << 30).contains($0) }) else { return sizes }
    throw invalid("'\(input)' holds \(bad), expected \(least) or more.")
  }

  /// Returns the number of spatial axes of a tensor `[N, C, …]`.
  func spatialAxes(_ input: String, most: Int = 3) throws -> Int {
    let rank: Int = try rank(input)
    guard (3...most + 2).contains(rank) else {
      throw invalid("'\(input)' has \(rank) dimensions, expected 3 to \(most + 2).")
    }
    return rank - 2
  }
}
