import ClassicalModels
import Foundation
import ModelFormat

/// Runs a model of the type `nonMaximumSuppression`. The model selects boxes that have high confidences and overlap
/// each other little.
struct BoxSuppressionRunner: ModelRunner {
  private let suppression: BoxSuppression
  private let confidences: MLFeatureDescription
  private let coordinates: MLFeatureDescription
  /// The optional input whose value replaces the model's overlap threshold; nil for a model without this input.
  private let overlap: MLFeatureDescription?
  /// The optional input whose value replaces the model's confidence threshold; nil for a model without this input.
  private let confidence: MLFeatureDescription?
  private let selectedConfidences: MLFeatureDescription
  private let selectedCoordinates: MLFeatureDescription
  /// The number of class labels; nil for a model without labels.
  private let labelCount: Int?
  private let rows: RowLimits

  init(_ message: Spec.NonMaximumSuppression, _ description: MLModelDescription) throws {
    suppression = try BoxSuppression(message)
    func feature(
      _ name: String, _ what: String, in features: [String: MLFeatureDescription],
      _ types: [MLFeatureType]
    ) throws -> MLFeatureDescription {
      guard let feature = features[name] else {
        throw MLModelError(
          .io,
          "The non-maximum suppression names \"\(name)\" as its \(what), but the model does not "
            + "describe such a feature. The model may be damaged.")
      }
      guard types.contains(feature.type) else {
        throw MLModelError(
          .io,
          "The \(what) of the non-maximum suppression, \"\(name)\", is declared as "
            + "\(feature.type.sentenceName), expected \(types[0].sentenceName).")
      }
      return feature
    }
    let (inputs, outputs) = (
      description.inputDescriptionsByName, description.outputDescriptionsByName
    )
    confidences = try feature(
      message.confidenceInputFeatureName, "input of confidences", in: inputs, [.multiArray])
    coordinates = try feature(
      message.coordinatesInputFeatureName, "input of coordinates", in: inputs, [.multiArray])
    selectedConfidences = try feature(
      message.confidenceOutputFeatureName, "output of confidences", in: outputs, [.multiArray])
    selectedCoordinates = try feature(
      message.coordinatesOutputFeatureName, "output of coordinates", in: outputs, [.multiArray])
    let numbers: [MLFeatureType] = [.double, .int64, .multiArray]
    let overlapName: String = message.iouThresholdInputFeatureName
    overlap =
      overlapName.isEmpty
      ? nil : try feature(overlapName, "threshold of overlaps", in: inputs, numbers)
    let confidenceName: String = message.confidenceThresholdInputFeatureName
    confidence =
      confidenceName.isEmpty
      ? nil : try feature(confidenceName, "threshold of confidences", in: inputs, numbers)
    labelCount = description.labels.flatMap { $0.count == 0 ? nil : $0.count }
    rows = try RowLimits([selectedConfidences, selectedCoordinates])
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let (scores, classes) = try rows(of: confidences, in: input)
    let (positions, sides) = try rows(of: coordinates, in: input)
    guard sides == 4 else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(coordinates.name)\" has \(sides) numbers for each box, expected 4: "
          + "centre x, centre y, width and height.")
    }
    guard classes > 0, labelCount == nil || labelCount == classes else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(confidences.name)\" has \(classes) confidences for each box, expected "
          + (labelCount.map { "\($0), one for each class label." } ?? "1 or more."))
    }
    guard scores.count / classes == positions.count / 4 else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(confidences.name)\" holds \(scores.count / classes) boxes, but "
          + "\"\(coordinates.name)\" holds \(positions.count / 4); expected the same number.")
    }
    let boxes = BoxSuppression.Boxes(confidences: scores, coordinates: positions, classes: classes)
    let selected: [Int] = try suppression.kept(
      of: boxes, overlap: try number(of: overlap, in: input),
      confidence: try number(of: confidence, in: input))
    let count: Int = rows.count(for: selected.count)
    return [
      selectedConfidences.name: try value(
        scores, width: classes, of: selected, count: count, for: selectedConfidences),
      selectedCoordinates.name: try value(
        positions, width: 4, of: selected, count: count, for: selectedCoordinates),
    ]
  }

  /// Reads an input that is a matrix with one row for each box. The matrix may have leading axes of length 1. Returns
  /// the elements and the length of a row.
  private func rows(
    of description: MLFeatureDescription, in input: any MLFeatureProvider
  ) throws -> (numbers: [Double], width: Int) {
    guard
      let array = try ClassicalInputs.value(of: description, in: input)?.multiArrayValue
    else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(description.name)\" has no value, but the non-maximum suppression needs "
          + "one.")
    }
    let shape: [Int] = array.layout.shape
    guard shape.count >= 2, shape.dropLast(2).allSatisfy({ $0 == 1 }) else {
      throw MLModelError(
        .featureType,
        "The multi-array for the input feature \"\(description.name)\" has the shape "
          + "\(sentence(shape)), expected two axes: one row for each box.")
    }
    return (array.numbers, shape[shape.count - 1])
  }

  /// Returns the only number in an optional input, or nil if the caller leaves the input out.
  private func number(
    of description: MLFeatureDescription?, in input: any MLFeatureProvider
  ) throws -> Double? {
    guard let description, let value = try ClassicalInputs.value(of: description, in: input) else {
      return nil
    }
    let numbers: [Double] = try value.numbers(name: description.name)
    guard numbers.count == 1 else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(description.name)\" holds \(numbers.count) numbers, expected one.")
    }
    return numbers[0]
  }

  /// Returns an output of `count` rows: the first selected rows of a matrix, followed by rows of zeros.
  private func value(
    _ numbers: [Double], width: Int, of selected: [Int], count: Int,
    for description: MLFeatureDescription
  ) throws -> MLFeatureValue {
    if let widths = description.multiArrayConstraint?.shapeConstraint.lengths.last,
      !widths.contains(width)
    {
      throw MLModelError(
        .io,
        "The output feature \"\(description.name)\" is declared with \(widths) numbers for each box, "
          + "but the input has \(width).")
    }
    var rows: [Double] = selected.prefix(count).flatMap { numbers[$0 * width..<($0 + 1) * width] }
    rows += [Double](repeating: 0, count: count * width - rows.count)
    return MLFeatureValue(
      multiArray: try MLMultiArray(
        numbers: rows, shape: [count, width],
        dataType: description.multiArrayConstraint?.dataType ?? .double))
  }
}

/// The numbers of output rows that are allowed by the declared shape of every output.
private struct RowLimits {
  /// The maximum of `lowest`. The runner fills missing rows with zeros, so a model file must not require too many rows.
  private static let paddingLimit = 1 << 20

  private var lowest = 0
  private var highest = Int.max
  /// If outputs enumerate shapes: the numbers of rows that every such output allows, in ascending order. Nil if no
  /// output enumerates shapes.
  private var choices: [Int]?

  init(_ outputs: [MLFeatureDescription]) throws {
    for output in outputs {
      guard let shapes = output.multiArrayConstraint?.shapeConstraint, !shapes.lengths.isEmpty
      else { continue }
      guard shapes.lengths.count == 2 else {
        throw MLModelError(
          .io,
          "The output feature \"\(output.name)\" is declared with \(shapes.lengths.count) axes, "
            + "expected two: one row for each box.")
      }
      lowest = max(lowest, shapes.lengths[0].lowest)
      highest = min(highest, shapes.lengths[0].highest)
      guard shapes.type == .enumerated else { continue }
      let rows = Set(shapes.shapes.compactMap { $0.first })
      choices = (choices.map { rows.intersection($0) } ?? rows).sorted()
    }
    if let choices, let first = choices.first { lowest = max(lowest, first) }
    guard lowest <= highest, choices?.isEmpty != true, lowest <= Self.paddingLimit else {
      throw MLModelError(
        .io,
        "The outputs of the non-maximum suppression are declared with at least \(lowest) boxes and with "
          + "at most \(highest); expected a number that both allow, of at most \(Self.paddingLimit)."
      )
    }
  }

  /// Returns the number of output rows for `boxes` selected boxes. If there are more rows than boxes, the caller pads
  /// the output. If there are fewer rows, the caller drops the last boxes.
  func count(for boxes: Int) -> Int {
    if let choices { return choices.first { $0 >= boxes } ?? choices.last ?? boxes }
    return min(max(boxes, lowest), highest)
  }
}
