import Engine
import Operators
import Testing

/// Tests operators that only move elements, on element types other than `float32`.
@Suite("Every operator that moves elements")
struct MovingOperatorTests {
  private static let moving: [LayerCase] = LayerCase.good.filter {
    guard let decoded = try? $0.decoded() else { return false }
    return decoded.operation is any MovingOperator && decoded.constants.isEmpty
  }

  @Test(
    "Every operator that moves elements moves those of every type as it moves floats",
    arguments: moving,
    [ElementType.int64, .int32, .uint8, .bool, .float16])
  func types(test: LayerCase, element: ElementType) throws {
    let layer = try #require(try test.makeLayer() as? any MovingOperator)
    let floats: [ReferenceTensor] = test.makeInputs().enumerated().map { position, input in
      guard layer.moves(input: position) else { return input }
      let limit: Int = element == .bool ? 2 : 100
      let values = (0..<input.shape.count).map { Double(($0 * 7 + position + 1) % limit) }
      return ReferenceTensor(input.shape, values)
    }
    let typed: [ReferenceTensor] = floats.enumerated().map { position, input in
      layer.moves(input: position) ? input.converted(to: element) : input
    }
    let known: [OperatorInput] = typed.map { OperatorInput($0.type, value: $0) }
    for (position, input) in typed.enumerated() {
      #expect(layer.takes(input.element, at: position))
    }
    let types = try #require(try layer.outputTypes(for: known))
    #expect(types.allSatisfy { $0.element == element })
    let expected = try layer.reference(floats).map { $0.converted(to: element) }
    #expect(try layer.define(typed, types: types).map(\.stored) == expected)
    for candidate in layer.candidates where candidate.elements.contains(element) {
      guard expected.allSatisfy({ $0.shape.count > 0 }) else { continue }
      // A kernel may decline this sample. Then there is nothing to check.
      guard
        let outputs = try KernelTrial(threads: 1).run(candidate, inputs: typed, outputs: types)
      else { continue }
      #expect(outputs == expected, "\(candidate.name)")
    }
  }
}
