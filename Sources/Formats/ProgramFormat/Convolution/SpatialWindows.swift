import Graph
import Operators

/// Windows that move over one to three spatial axes, as convolutions and poolings state them.
struct SpatialWindows {
  /// The step between windows.
  private(set) var strides: [Int]
  /// The step within a window.
  private(set) var dilations: [Int]
  /// What stands around the tensor.
  private(set) var padding: WindowPadding

  /// The parameters `strides`, `dilations`, `pad_type` and `pad` of an operation over so many axes.
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

  /// The same windows with an axis of extent one in front.
  mutating func expand() {
    strides.insert(1, at: 0)
    dilations.insert(1, at: 0)
    padding.expand()
  }
}

extension ProgramOperation {
  /// Sizes that the program states, one for each axis; another number everywhere where they are left out.
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

  /// The number of spatial axes of a tensor `[N, C, …]`.
  func spatialAxes(_ input: String, most: Int = 3) throws -> Int {
    let rank: Int = try rank(input)
    guard (3...most + 2).contains(rank) else {
      throw invalid("'\(input)' has \(rank) dimensions, expected 3 to \(most + 2).")
    }
    return rank - 2
  }
}
