import Engine
import Foundation

extension MLModel {
  /// Predicts with tensors as inputs. Returns the outputs that are arrays, as tensors by name. Leaves out the outputs
  /// of other types.
  ///
  /// - Throws: ``MLModelError`` when the inputs do not match the model's description.
  public func prediction(from inputs: [String: MLTensor]) async throws -> [String: MLTensor] {
    try Self.tensors(of: try await prediction(from: try await Self.features(of: inputs)))
  }

  /// Predicts with tensors as inputs, and updates the state.
  ///
  /// - Throws: ``MLModelError`` when the inputs do not match the model's description.
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
      // The model gets a tensor without axes as an array with one axis of length 1.
      values[name] = MLFeatureValue(
        multiArray: MLMultiArray(
          memory: array.memory,
          layout: ArrayLayout(shape: MLTensor.graphShape(tensor.shape).dimensions),
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
  /// Makes a tensor from a copy of an array's elements. Elements of type `double` become `float32`.
  fileprivate init(copying array: MLMultiArray) {
    let element: ElementType =
      switch array.dataType {
      case .float16: .float16
      case .int32: .int32
      case .int8: .int8
      default: .float32
      }
    let shape: [Int] = array.layout.shape
    let type = TensorType(Self.graphShape(shape), element.storageInGraphs)
    let values = TensorValues(type) { start in
      convertElements(
        from: array.memory.start, array.dataType, array.layout, to: start,
        type.element == .int32 ? .int32 : .float32, ArrayLayout(shape: shape))
    }
    self.init(TensorNode(type, .values(values)), shape: shape, element: element)
  }
}
