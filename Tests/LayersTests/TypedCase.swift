import Engine
import OperatorSamples
import Operators
import Testing

/// A sample with its inputs in another element type than float32.
struct TypedCase: Sendable, CustomTestStringConvertible {
  let test: LayerCase
  /// The type of what is moved or computed with.
  let element: ElementType
  /// The type of what says where or how many.
  let places: ElementType

  var testDescription: String { "\(test.testDescription), \(element), places \(places)" }

  /// The small samples of every operator in the types that it declares.
  static let all: [TypedCase] = OperatorCatalog.standard.layers.flatMap { type -> [TypedCase] in
    guard !(type is any ControlOperator.Type), type != CustomLayer.self else { return [] }
    let small: [LayerCase] = LayerCase.deterministic.filter { test in
      test.type == type && test.sample.inputs.reduce(0) { $0 + $1.shape.count } <= 1024
        && (try? test.decoded().constants.isEmpty) ?? false
    }
    return type.elementTypes.sorted.filter { $0 != .float32 }.flatMap { element -> [TypedCase] in
      // All samples for the types that kernels compute with, some for the others.
      let chosen = element == .int32 ? small[...] : small.prefix(4)
      return chosen.flatMap { test -> [TypedCase] in
        let float = TypedCase(test: test, element: element, places: .float32)
        guard let layer = try? test.makeLayer(), float.isTyped(layer) else { return [] }
        let hasPlaces: Bool = test.sample.inputs.indices.contains {
          !Self.isData($0, of: layer)
        }
        let whole = TypedCase(test: test, element: element, places: .int32)
        return hasPlaces ? [float, whole] : [float]
      }
    }
  }

  /// Whether an input is moved or computed with.
  static func isData(_ input: Int, of layer: any Operator) -> Bool {
    if let moving = layer as? any MovingOperator { return moving.moves(input: input) }
    if let whole = layer as? any WholeNumberOperator { return whole.computes(with: input) }
    return true
  }

  /// Whether any input gets the type: an operator may take it for some of its functions alone.
  private func isTyped(_ layer: any Operator) -> Bool {
    test.sample.inputs.indices.contains { Self.isData($0, of: layer) }
      && test.sample.inputs.indices.allSatisfy {
        !Self.isData($0, of: layer) || layer.takes(element, at: $0)
      }
  }

  /// The inputs; numbers between −1 and 1 become whole ones of several values.
  func inputs(of layer: any Operator) -> [ReferenceTensor] {
    zip(test.makeInputs(), test.sample.inputs).enumerated().map { position, pair in
      var (tensor, input) = pair
      let type: ElementType = Self.isData(position, of: layer) ? element : places
      if type.isInteger, case .uniform = input.fill {
        tensor.values = tensor.values.map { ($0 * 4).rounded() }
      }
      return tensor.converted(to: type)
    }
  }
}
