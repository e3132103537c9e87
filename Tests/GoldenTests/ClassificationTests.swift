import CoreML
import Imaging
import Testing
import Vision

/// SqueezeNet. Nil if `atelier fetch squeezenet` has not installed it.
private let squeezeNet: URL? = {
  guard Program.isBuilt else { return nil }
  let outcome = try? Program.run(["fetch", "squeezenet"])
  guard outcome?.status == 0, let line = outcome?.output.split(separator: "\n").last else {
    return nil
  }
  let path: Substring = line.prefix { $0 != "(" }
  return URL(
    fileURLWithPath: path.replacingOccurrences(of: " exists already.", with: "")
      .trimmingCharacters(in: .whitespaces))
}()

/// A photo, and ONNX Runtime's results for the photo's central square, resampled by nearest neighbour. The results are
/// the eight most likely of 1000 classes.
struct ClassifiedPhoto: Sendable, CustomTestStringConvertible {
  let name: String
  let probabilities: [String: Double]

  var testDescription: String { name }

  static let all = [
    ClassifiedPhoto(
      name: "skimage-chelsea.png",
      probabilities: [
        "tabby, tabby cat": 0.388438, "Egyptian cat": 0.327451, "tiger cat": 0.274387,
        "lynx, catamount": 0.008721, "cheetah, chetah, Acinonyx jubatus": 0.0004,
        "leopard, Panthera pardus": 0.00033,
        "cougar, puma, catamount, mountain lion, painter, panther, Felis concolor": 7.3e-05,
        "Persian cat": 6.5e-05,
      ]),
    ClassifiedPhoto(
      name: "skimage-coffee.png",
      probabilities: [
        "espresso": 0.985223, "consomme": 0.013035, "cup": 0.000682, "soup bowl": 0.000485,
        "espresso maker": 0.000111, "coffee mug": 8.5e-05, "coffeepot": 6.7e-05,
        "Crock Pot": 6.5e-05,
      ]),
  ]

  /// Returns the photo's central square, resampled to 227 × 227 by nearest neighbour.
  func square() throws -> CVPixelBuffer {
    let picture = try Picture(contentsOf: Fixtures.photo(name))
    let side: Int = min(picture.width, picture.height)
    let (left, top) = ((picture.width - side) / 2, (picture.height - side) / 2)
    let pixels: [UInt8] = picture.pixels
    return try CVPixelBuffer.picture(width: 227, height: 227) { column, row, channel in
      let (y, x) = (top + row * side / 227, left + column * side / 227)
      return pixels[(y * picture.width + x) * 3 + channel]
    }
  }
}

@Suite("SqueezeNet against ONNX Runtime", .enabled(if: squeezeNet != nil && Fixtures.areAvailable))
struct ClassificationTests {
  @Test(
    "Probabilities are within 0.002, in every precision that a user may choose",
    arguments: ClassifiedPhoto.all, [MLComputeUnits.cpuOnly, .all])
  func probabilities(photo: ClassifiedPhoto, units: MLComputeUnits) throws {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    let model = try VNCoreMLModel(
      for: MLModel(contentsOf: #require(squeezeNet), configuration: configuration))
    let request = VNCoreMLRequest(model: model)
    request.imageCropAndScaleOption = .centerCrop
    try VNImageRequestHandler(cvPixelBuffer: photo.square(), options: [:]).perform([request])
    let found = try #require(request.results as? [VNClassificationObservation])
    #expect(found.count == 1000)
    for (label, probability) in photo.probabilities {
      let observation = try #require(found.first { $0.identifier == label })
      #expect(
        abs(Double(observation.confidence) - probability) <= 0.002,
        "\(label): \(observation.confidence)")
    }
  }

  @Test(
    "The command classify reports what the photo shows",
    arguments: ClassifiedPhoto.all)
  func command(photo: ClassifiedPhoto) throws {
    let outcome = try Program.run(
      ["classify", Fixtures.photo(photo.name).path, "--model", "squeezenet"])
    #expect(outcome.status == 0)
    let lines: [Substring] = outcome.output.split(separator: "\n")
    #expect(lines.count == 5)
    if photo.name.contains("coffee") {
      #expect(lines.first?.contains("espresso") == true)
    } else {
      for label in ["Egyptian cat", "tiger cat", "tabby"] {
        #expect(lines.contains { $0.contains(label) }, "\(label)")
      }
    }
  }
}
