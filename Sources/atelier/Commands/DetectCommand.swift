import Arguments
import CoreGraphics
import CoreML
import Foundation
import Imaging
import Vision

/// `atelier detect`: finds objects in a photo with an object detector.
enum DetectCommand: Command {
  static let syntax = CommandSyntax(
    "detect", summary: "Finds objects in a photo with an object detector.",
    operands: [.init("PHOTO", help: "A picture file.")],
    options: [
      .init(
        "model", letter: "m", value: "MODEL", isRequired: true,
        help: "A detector: a Core ML pipeline that ends in non-maximum\nsuppression."),
      .init(
        "output", letter: "o", value: "FILE", help: "Writes the photo with the boxes drawn on it."),
      .init(
        "confidence", value: "X",
        help: "The least confidence of an object, 0 to 1 (default: the model's)."),
      .init(
        "overlap", value: "X",
        help:
          "The largest intersection over union of two boxes of a class,\n0 to 1 (default: the model's)."
      ),
      CropAndScale.option("How the photo is fitted to the model (default: scaleFill)."),
      .init("json", help: "Prints JSON."),
    ] + ModelOptions.declarations,
    notes: """
      Boxes are in pixels of the photo: the left and the top edge, the width and the height.
      """)

  private struct FoundObject: Encodable {
    let label: String
    let confidence: Float
    let box: PixelRect
  }

  static func run(_ arguments: ParsedArguments) throws {
    let file: String = arguments.operands[0]
    let mode: CropAndScale = try arguments.cropAndScale() ?? .scaleFill
    let confidence: Double? = try fraction("confidence", arguments)
    let overlap: Double? = try fraction("overlap", arguments)
    let output: String? = arguments.value("output")
    if let output { _ = try PictureFormat(path: output) }
    let options = try ModelOptions(arguments)
    let location: URL = try ModelLocation.resolve(arguments.value("model") ?? "")
    let picture = try Picture(contentsOfFile: file)
    let model: MLModel = try OpenedModel.open(location, options)
    let name: String = location.lastPathComponent
    guard let detector = model.modelDescription.detector else {
      throw CommandError(
        "Model '\(name)' does not detect objects, expected a pipeline that ends in non-maximum"
          + " suppression; `atelier inspect` shows what it is.")
    }
    let vision = try VNCoreMLModel(for: model)
    vision.featureProvider = try thresholds(
      of: detector, name: name, confidence: confidence, overlap: overlap)
    let request = VNCoreMLRequest(model: vision)
    request.imageCropAndScaleOption = mode.option
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    let objects: [FoundObject] = (request.results ?? [])
      .compactMap { $0 as? VNRecognizedObjectObservation }
      .filter { Double($0.confidence) >= confidence ?? 0 }
      .map { object in
        FoundObject(
          label: object.labels.first?.identifier ?? "", confidence: object.confidence,
          box: PixelRect(object.boundingBox, in: picture))
      }
    if let output { try draw(objects, on: picture, to: output) }
    guard !arguments.has("json") else { return try Output.json(objects) }
    for object in objects {
      let percent: String = (Double(object.confidence) * 100).text(decimals: 1)
      let gap = String(repeating: " ", count: max(0, 5 - percent.count))
      Output.line("\(gap)\(percent) %  \(object.label)  \(object.box.text)")
    }
    if objects.isEmpty { Output.errorLine("The model finds no objects in '\(file)'.") }
  }

  /// Returns the values for the inputs that replace the model's thresholds. To raise the minimum confidence, no input
  /// is needed: the command drops boxes afterwards. A box only suppresses less confident ones, so the result is the
  /// same.
  private static func thresholds(
    of detector: DetectorDescription, name: String, confidence: Double?, overlap: Double?
  ) throws -> (any MLFeatureProvider)? {
    var values: [String: Any] = [:]
    if let confidence {
      if let input = detector.confidenceInput {
        values[input] = confidence
      } else if confidence < detector.confidenceThreshold {
        throw CommandError(
          "Model '\(name)' has no input for the least confidence, and drops objects below"
            + " \(detector.confidenceThreshold) itself. Give a higher --confidence.")
      }
    }
    if let overlap, overlap != detector.overlapThreshold {
      guard let input = detector.overlapInput else {
        throw CommandError(
          "Model '\(name)' has no input for the overlap; it uses \(detector.overlapThreshold). Leave"
            + " out --overlap.")
      }
      values[input] = overlap
    }
    return values.isEmpty ? nil : try MLDictionaryFeatureProvider(dictionary: values)
  }

  private static func fraction(_ name: String, _ arguments: ParsedArguments) throws -> Double? {
    guard let text = arguments.value(name) else { return nil }
    guard let number = Double(text), (0...1).contains(number) else {
      throw UsageError("--\(name) is '\(text)', expected a number from 0 to 1.")
    }
    return number
  }

  /// Draws boxes in one colour per label.
  private static func draw(
    _ objects: [FoundObject], on picture: Picture, to path: String
  ) throws {
    var canvas = PictureCanvas(picture)
    let labels: [String] = Set(objects.map(\.label)).sorted()
    for object in objects.reversed() {
      let index: Int = labels.firstIndex(of: object.label) ?? 0
      canvas.outline(
        object.box.cgRect, PictureCanvas.colours[index % PictureCanvas.colours.count])
    }
    try canvas.picture().write(toFile: path)
  }
}

extension CropAndScale {
  /// The corresponding option of Vision.
  fileprivate var option: VNImageCropAndScaleOption {
    switch self {
    case .centerCrop: .centerCrop
    case .scaleFit: .scaleFit
    case .scaleFill: .scaleFill
    case .scaleFitRotate90CCW: .scaleFitRotate90CCW
    case .scaleFillRotate90CCW: .scaleFillRotate90CCW
    }
  }
}
