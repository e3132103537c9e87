import CoreML
import Foundation
import Service

/// A model's description in the Open Inference Protocol.
struct ModelMetadata: Codable, Sendable {
  /// The description of an input or output. The length −1 is for axes whose length may differ.
  struct Tensor: Codable, Sendable {
    let name: String
    let datatype: String
    let shape: [Int]
  }

  let name: String
  let versions: [String]
  let platform: String
  let inputs: [Tensor]
  let outputs: [Tensor]

  /// The only version of every model.
  static let version = "1"

  /// Describes a model under a name.
  init(_ name: String, _ description: MLModelDescription) {
    self.name = name
    versions = [Self.version]
    platform = "atelier_coreml"
    inputs = description.inputNames.flatMap {
      Self.tensors(description.inputDescriptionsByName[$0])
    }
    outputs = description.outputNames.flatMap { name -> [Tensor] in
      let labels =
        name == description.predictedProbabilitiesName ? description.classLabels?.count : nil
      return Self.tensors(
        description.outputDescriptionsByName[name], labels: labels,
        hasIntegerKeys: description.classLabels?.first is NSNumber)
    }
  }

  private static func tensors(
    _ feature: MLFeatureDescription?, labels: Int? = nil, hasIntegerKeys: Bool = false
  ) -> [Tensor] {
    guard let feature else { return [] }
    func tensor(_ type: InferenceTensor.DataType, _ shape: [Int]) -> Tensor {
      Tensor(name: feature.name, datatype: type.rawValue, shape: shape)
    }
    switch feature.type {
    case .multiArray:
      let constraint = feature.multiArrayConstraint
      return [
        tensor(
          constraint.map { FeatureTensors.dataType(of: $0.dataType) } ?? .float32,
          shape(constraint))
      ]
    case .int64: return [tensor(.int64, [1])]
    case .double: return [tensor(.float64, [1])]
    case .image, .string: return [tensor(.bytes, [1])]
    case .sequence:
      let isText = feature.sequenceConstraint?.valueDescription.type == .string
      return [tensor(isText ? .bytes : .int64, [-1])]
    case .dictionary:
      return [
        tensor(.float64, [labels ?? -1]),
        Tensor(
          name: feature.name + FeatureTensors.keysSuffix,
          datatype: hasIntegerKeys ? "INT64" : "BYTES", shape: [labels ?? -1]),
      ]
    default: return []
    }
  }

  private static func shape(_ constraint: MLMultiArrayConstraint?) -> [Int] {
    guard let constraint, !constraint.shape.isEmpty else { return [-1] }
    let declared = constraint.shape.map(\.intValue)
    let shapes = constraint.shapeConstraint
    switch shapes.type {
    case .range:
      let ranges = shapes.sizeRangeForDimension.map(\.rangeValue)
      guard ranges.count == declared.count else { return declared }
      return zip(declared, ranges).map { $1.length > 1 ? -1 : $0 }
    case .enumerated:
      return declared.indices.map { axis in
        shapes.enumeratedShapes.allSatisfy {
          axis < $0.count && $0[axis].intValue == declared[axis]
        } ? declared[axis] : -1
      }
    default: return declared
    }
  }
}
