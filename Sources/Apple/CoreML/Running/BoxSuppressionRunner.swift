import ClassicalModels
import Foundation
import ModelFormat

/// Computes a model of the type `nonMaximumSuppression`: of boxes with confidences, those that are best where they are.
struct BoxSuppressionRunner: ModelRunner {
  private let suppression: BoxSuppression
  private let confidences: MLFeatureDescription
  private let coordinates: MLFeatureDescription
  private let overlap: MLFeatureDescription?
  private let confidence: MLFeatureDescription?
  private let keptConfidences: MLFeatureDescription
  private let keptCoordinates: MLFeatureDescription
  /// The number of classes that have labels; nil for a model without labels.
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
    keptConfidences = try feature(
      message.confidenceOutputFeatureName, "output of confidences", in: outputs, [.multiArray])
    keptCoordinates = try feature(
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
    rows = try RowLimits([keptConfidences, keptCoordinates])
  }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    let (scores, classes) = try rows(of: confidences, in: input)
    let (places, sides) = try rows(of: coordinates, in: input)
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
    guard scores.count / classes == places.count / 4 else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(confidences.name)\" holds \(scores.count / classes) boxes, but "
          + "\"\(coordinates.name)\" holds \(places.count / 4); expected as many.")
    }
    let boxes = BoxSuppression.Boxes(confidences: scores, coordinates: places, classes: classes)
    let kept: [Int] = try suppression.kept(
      of: boxes, overlap: try number(of: overlap, in: input),
      confidence: try number(of: confidence, in: input))
    let count: Int = rows.count(for: kept.count)
    return [
      keptConfidences.name: try value(
        scores, width: classes, of: kept, count: count, for: keptConfidences),
      keptCoordinates.name: try value(
        places, width: 4, of: kept, count: count, for: keptCoordinates),
    ]
  }

  /// The numbers of a matrix with one row for each box, and how many a row has. Axes of length 1 may come first.
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

  /// The only number of an optional input.
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

  /// Rows of a matrix, filled up with zeros.
  private func value(
    _ numbers: [Double], width: Int, of kept: [Int], count: Int,
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
    var rows: [Double] = kept.prefix(count).flatMap { numbers[$0 * width..<($0 + 1) * width] }
    rows += [Double](repeating: 0, count: count * width - rows.count)
    return MLFeatureValue(
      multiArray: try MLMultiArray(
        numbers: rows, shape: [count, width],
        dataType: description.multiArrayConstraint?.dataType ?? .double))
  }
}

/// How many rows the outputs may have, by their declared shapes.
private struct RowLimits {
  /// The most rows that are filled up with zeros.
  private static let mostFilled = 1 << 20

  private var lowest = 0
  private var highest = Int.max
  /// The numbers of rows of enumerated shapes, in rising order; nil where none are enumerated.
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
    guard lowest <= highest, choices?.isEmpty != true, lowest <= Self.mostFilled else {
      throw MLModelError(
        .io,
        "The outputs of the non-maximum suppression are declared with \(lowest) boxes or more and with "
          + "\(highest) or fewer; expected one number that both have, of at most \(Self.mostFilled)."
      )
    }
  }

  /// The rows for a number of boxes: what is missing is filled up with zeros, and what is too much left out.
  func count(for boxes: Int) -> Int {
    if let choices { return choices.first { $0 >= boxes } ?? choices.last ?? boxes }
    return min(max(boxes, lowest), highest)
  }
}
