/// A set of element types, such as those that an operator or a kernel supports.
public struct ElementTypes: Sendable, Hashable, ExpressibleByArrayLiteral {
  private let types: Set<ElementType>

  /// Creates a set of the given types.
  public init(_ types: some Sequence<ElementType>) { self.types = Set(types) }

  /// Creates a set of the types in an array literal.
  public init(arrayLiteral elements: ElementType...) { types = Set(elements) }

  /// Returns whether the set holds a type.
  public func contains(_ type: ElementType) -> Bool { types.contains(type) }

  /// Floating-point types.
  public static let floatingPoint = ElementTypes(
    ElementType.allCases.filter { $0.isFloatingPoint })
  /// Floating-point types and integer types, without Booleans and without integers smaller than a byte.
  public static let numbers = ElementTypes(
    ElementType.allCases.filter { !$0.isPacked && $0 != .bool })
  /// All types with which a graph computes: all except integers smaller than a byte.
  public static let all = ElementTypes(ElementType.allCases.filter { !$0.isPacked })

  /// The types in the order of their declaration.
  public var sorted: [ElementType] { types.sorted { $0.rawValue < $1.rawValue } }
}
