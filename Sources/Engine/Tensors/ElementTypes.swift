/// A set of element types, as operators and kernels declare what they take.
public struct ElementTypes: Sendable, Hashable, ExpressibleByArrayLiteral {
  private let types: Set<ElementType>

  /// A set of the given types.
  public init(_ types: some Sequence<ElementType>) { self.types = Set(types) }

  /// A set written as a literal.
  public init(arrayLiteral elements: ElementType...) { types = Set(elements) }

  /// Whether the set holds a type.
  public func contains(_ type: ElementType) -> Bool { types.contains(type) }

  /// Types with fractions.
  public static let floatingPoint = ElementTypes(
    ElementType.allCases.filter { $0.isFloatingPoint })
  /// Types with fractions and whole numbers.
  public static let numbers = ElementTypes(
    ElementType.allCases.filter { !$0.isPacked && $0 != .bool })
  /// Everything that a graph computes with, truth values too.
  public static let all = ElementTypes(ElementType.allCases.filter { !$0.isPacked })

  /// The types in the order of their declaration.
  public var sorted: [ElementType] { types.sorted { $0.rawValue < $1.rawValue } }
}
