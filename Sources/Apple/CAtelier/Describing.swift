import CoreML
import CoreVideo
import Foundation

/// Returns a model's description as JSON in the format that the header atelier.h documents.
func describeAsJSON(_ description: MLModelDescription) throws -> String {
  var all: [String: Any] = [
    "inputs": description.inputNames.compactMap {
      description.inputDescriptionsByName[$0].map(entry)
    },
    "outputs": description.outputNames.compactMap {
      description.outputDescriptionsByName[$0].map(entry)
    },
    "isUpdatable": description.isUpdatable,
  ]
  all["predictedFeatureName"] = description.predictedFeatureName
  all["predictedProbabilitiesName"] = description.predictedProbabilitiesName
  all["classLabels"] = description.classLabels
  var metadata: [String: Any] = [:]
  for (key, value) in description.metadata {
    if let text = value as? String, text.isEmpty { continue }
    if let texts = value as? [String: String], texts.isEmpty { continue }
    metadata[key.rawValue] = value
  }
  if !metadata.isEmpty { all["metadata"] = metadata }
  let data: Data = try JSONSerialization.data(
    withJSONObject: all, options: [.sortedKeys, .withoutEscapingSlashes])
  return String(decoding: data, as: UTF8.self)
}

private func entry(_ feature: MLFeatureDescription) -> [String: Any] {
  var entry: [String: Any] = ["name": feature.name, "isOptional": feature.isOptional]
  switch feature.type {
  case .int64: entry["kind"] = "int64"
  case .double: entry["kind"] = "double"
  case .string: entry["kind"] = "string"
  case .image: entry["kind"] = "image"
  case .multiArray: entry["kind"] = "array"
  case .dictionary: entry["kind"] = "dictionary"
  case .sequence: entry["kind"] = "sequence"
  case .state: entry["kind"] = "state"
  case .invalid: entry["kind"] = "undefined"
  }
  if let array = feature.multiArrayConstraint { describe(array, in: &entry) }
  if let image = feature.imageConstraint { describe(image, in: &entry) }
  if let dictionary = feature.dictionaryConstraint {
    entry["keyType"] = dictionary.keyType == .int64 ? "int64" : "string"
  }
  if let sequence = feature.sequenceConstraint {
    entry["keyType"] = sequence.valueDescription.type == .int64 ? "int64" : "string"
  }
  return entry
}

private func describe(_ array: MLMultiArrayConstraint, in entry: inout [String: Any]) {
  switch array.dataType {
  case .double: entry["elementType"] = "float64"
  case .float32: entry["elementType"] = "float32"
  case .float16: entry["elementType"] = "float16"
  case .int32: entry["elementType"] = "int32"
  case .int8: entry["elementType"] = "int8"
  }
  entry["shape"] = array.shape
  switch array.shapeConstraint.type {
  case .enumerated: entry["allowedShapes"] = array.shapeConstraint.enumeratedShapes
  case .range:
    entry["allowedLengths"] = array.shapeConstraint.sizeRangeForDimension.map {
      bounds($0.rangeValue)
    }
  default: break
  }
}

private func describe(_ image: MLImageConstraint, in entry: inout [String: Any]) {
  switch image.pixelFormatType {
  case kCVPixelFormatType_OneComponent8: entry["format"] = "gray"
  case kCVPixelFormatType_OneComponent16Half: entry["format"] = "grayFloat16"
  default: entry["format"] = "BGRA"
  }
  entry["width"] = image.pixelsWide
  entry["height"] = image.pixelsHigh
  let sizes: MLImageSizeConstraint = image.sizeConstraint
  switch sizes.type {
  case .enumerated:
    entry["allowedSizes"] = sizes.enumeratedImageSizes.map { [$0.pixelsWide, $0.pixelsHigh] }
  case .range:
    entry["allowedWidths"] = bounds(sizes.pixelsWideRange)
    entry["allowedHeights"] = bounds(sizes.pixelsHighRange)
  default: break
  }
}

/// Returns the smallest and the largest length in a range. The largest length is -1 if there is no limit.
private func bounds(_ range: NSRange) -> [Int] {
  let isUnlimited: Bool = range.length >= Int.max - range.location
  return [range.location, isUnlimited ? -1 : range.location + range.length - 1]
}
