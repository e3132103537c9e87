import Engine
import Foundation

extension MLModel {
  /// Predicts with tensors. The outputs that are arrays come as tensors.
  ///
  /// - Throws: ``MLModelError`` when the inputs do not fit the model's description.
  public func prediction(from inputs: [String: MLTensor]) async throws -> [String: MLTensor] {
    try Self.tensors(of: try await prediction(from: try await Self.features(of: inputs)))
  }

  /// Predicts with tensors and with state, which it changes.
  ///
  /// - Throws: ``MLModelError`` when the inputs do not fit the model's description.
  public func prediction(
    from inputs: [String: MLTensor], using state: MLState
  ) async throws -> [String: MLTensor] {
    let features: any MLFeatureProvider = try await Self.features(of: inputs)
    return try Self.tensors(of: try await prediction(from: features, using: state))
  }

  private static func features(
    of inputs: [String: MLTensor]
  ) async throws -> any MLFeatureProvider {
    var values: [String: Any] = [:]
    for (name, tensor) in inputs {
      let array: MLMultiArray = await tensor.values().array
      // A single number is an array of one element, as models take it.
      values[name] = MLFeatureValue(
        multiArray: MLMultiArray(
          memory: array.memory, layout: ArrayLayout(shape: MLTensor.held(tensor.shape).dimensions),
          dataType: array.dataType))
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }

  private static func tensors(of outputs: any MLFeatureProvider) throws -> [String: MLTensor] {
    var tensors: [String: MLTensor] = [:]
    for name in outputs.featureNames {
      guard let array = outputs.featureValue(for: name)?.multiArrayValue else { continue }
      tensors[name] = MLTensor(copying: array)
    }
    return tensors
  }
}

extension MLTensor {
  /// A tensor of an array's elements; those of type `double` become `float32`.
  fileprivate init(copying array: MLMultiArray) {
    let element: ElementType =
      switch array.dataType {
      case .float16: .float16
      case .int32: .int32
      case .int8: .int8
      default: .float32
      }
    let shape: [Int] = array.layout.shape
    let type = TensorType(Self.held(shape), element.heldInTensors)
    let values = TensorValues(type) { start in
      convertElements(
        from: array.memory.start, array.dataType, array.layout, to: start,
        type.element == .int32 ? .int32 : .float32, ArrayLayout(shape: shape))
    }
    self.init(TensorNode(type, .values(values)), shape: shape, element: element)
  }
}
