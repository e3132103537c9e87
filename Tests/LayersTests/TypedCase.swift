import Engine
import OperatorSamples
import Operators
import Testing

/// A sample with inputs in an element type other than float32.
struct TypedCase: Sendable, CustomTestStringConvertible {
  let test: LayerCase
  /// The element type of the data inputs, which are the inputs that the operator moves or computes with.
  let element: ElementType
  /// The type of the inputs that hold indices or counts.
  let indexElement: ElementType

  var testDescription: String { "\(test.testDescription), \(element), indices \(indexElement)" }

  /// For each operator: its small samples, once in each element type that the operator declares, except float32.
  static let all: [TypedCase] = OperatorCatalog.tested.flatMap { type -> [TypedCase] in
    guard !(type is any ControlOperator.Type), type != CustomLayer.self else { return [] }
    let small: [LayerCase] = LayerCase.deterministic.filter { test in
      test.type == type && test.sample.inputs.reduce(0) { $0 + $1.shape.count } <= 1024
        && (try? test.decoded().constants.isEmpty) ?? false
    }
    return type.elementTypes.sorted.filter { $0 != .float32 }.flatMap { element -> [TypedCase] in
      // Kernels compute in int32, so int32 gets all small samples. Each other type gets four samples.
      let chosen = element == .int32 ? small[...] : small.prefix(4)
      return chosen.flatMap { test -> [TypedCase] in
        let float = TypedCase(test: test, element: element, indexElement: .float32)
        guard let layer = try? test.makeLayer(), float.isTyped(layer) else { return [] }
        let hasIndices: Bool = test.sample.inputs.indices.contains {
          !Self.isData($0, of: layer)
        }
        let integer = TypedCase(test: test, element: element, indexElement: .int32)
        return hasIndices ? [float, integer] : [float]
      }
    }
  }

  /// Returns whether the operator moves or computes with this input. Returns false for indices and counts.
  static func isData(_ input: Int, of layer: any Operator) -> Bool {
    if let moving = layer as? any MovingOperator { return moving.moves(input: input) }
    if let integer = layer as? any IntegerOperator { return integer.computes(with: input) }
    return true
  }

  /// Returns whether the operator has data inputs and accepts the element type for all of them. An operator may support
  /// a type for only some of its functions.
  private func isTyped(_ layer: any Operator) -> Bool {
    test.sample.inputs.indices.contains { Self.isData($0, of: layer) }
      && test.sample.inputs.indices.allSatisfy {
        !Self.isData($0, of: layer) || layer.takes(element, at: $0)
      }
  }

  /// Generates the inputs. For integer types, numbers between −1 and 1 are scaled up, so that the integers take several
  /// values.
  func inputs(of layer: any Operator) -> [ReferenceTensor] {
    zip(test.makeInputs(), test.sample.inputs).enumerated().map { position, pair in
      var (tensor, input) = pair
      let type: ElementType = Self.isData(position, of: layer) ? element : indexElement
      if type.isInteger, case .uniform = input.fill {
        tensor.values = tensor.values.map { ($0 * 4).rounded() }
      }
      return tensor.converted(to: type)
    }
  }
}
