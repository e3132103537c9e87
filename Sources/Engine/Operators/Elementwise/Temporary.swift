import Graph
public struct CastOperator: Operator {
  public static let declaration = OperatorDeclaration("Cast", summary: "another element type")
  public let element: ElementType
  public init(to element: ElementType) { self.element = element }
  public static var elementTypes: ElementTypes { .all }
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(inputs[0].shape, element)]
  }
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].converted(to: element)]
  }
}
public struct RoundOperator: Operator {
  public static let declaration = OperatorDeclaration("Round", summary: "rounds to an element type")
  public let element: ElementType
  public init(to element: ElementType) { self.element = element }
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [inputs[0].type] }
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(inputs[0].shape, inputs[0].values.map(element.rounded))]
  }
}
