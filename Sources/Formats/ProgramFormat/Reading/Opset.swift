/// A function's opset: the version of the set of operations. Compared with an earlier opset, a later one redefines some
/// operations and adds others.
///
/// **Source:** `Function.opset` in MIL.proto; the names of coremltools' targets.
public enum Opset: Int, Sendable, Hashable, Comparable, CaseIterable {
  case iOS13 = 13
  case iOS14
  case iOS15
  case iOS16
  case iOS17
  case iOS18
  case iOS26 = 26

  /// Finds the opset that has this name in programs, such as `CoreML7`. Nil for opsets that are newer than `CoreML9`.
  public init?(name: String) {
    guard let opset = Opset.allCases.first(where: { $0.name == name }) else { return nil }
    self = opset
  }

  /// The opset's name in programs, such as `CoreML7`.
  public var name: String {
    switch self {
    case .iOS13: "CoreML3"
    case .iOS14: "CoreML4"
    case .iOS15: "CoreML5"
    case .iOS16: "CoreML6"
    case .iOS17: "CoreML7"
    case .iOS18: "CoreML8"
    case .iOS26: "CoreML9"
    }
  }

  public static func < (left: Opset, right: Opset) -> Bool { left.rawValue < right.rawValue }
}
