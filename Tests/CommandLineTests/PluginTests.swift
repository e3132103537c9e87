import Foundation
import Imaging
import ModelFormat
import Testing

@Suite(.enabled(if: Program.isBuilt))
struct PluginTests {
  private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Builds a model with one custom layer, from image to image.
  private static func model(className: String) -> Spec.Model {
    var custom = Spec.CustomLayerParams()
    custom.className = className
    var layer = Spec.NeuralNetworkLayer()
    layer.name = "custom"
    layer.input = ["image"]
    layer.output = ["painting"]
    layer.layer = .custom(custom)
    var network = Spec.NeuralNetwork()
    network.layers = [layer]
    func feature(_ name: String) -> Spec.FeatureDescription {
      var image = Spec.ImageFeatureType()
      image.width = 8
      image.height = 8
      image.colorSpace = .rgb
      var type = Spec.FeatureType()
      type.type = .imageType(image)
      var feature = Spec.FeatureDescription()
      feature.name = name
      feature.type = type
      return feature
    }
    var description = Spec.ModelDescription()
    description.input = [feature("image")]
    description.output = [feature("painting")]
    var model = Spec.Model()
    model.specificationVersion = 2
    model.description = description
    model.type = .neuralNetwork(network)
    return model
  }

  @Test("A custom layer is loaded from a plug-in, and missing without it")
  func plugin() throws {
    try Fixtures.withFolder { folder in
      let model: URL = folder.appendingPathComponent("posterizing.mlmodel")
      try Self.model(className: "PosterizeLambda").write(to: model)
      let photo: URL = folder.appendingPathComponent("photo.png")
      let pixels: [UInt8] = (0..<24 * 20 * 3).map { UInt8(truncatingIfNeeded: $0 &* 3) }
      try Picture(width: 24, height: 20, pixels: pixels).write(toFile: photo.path)
      let painting: URL = folder.appendingPathComponent("painting.png")
      let words: [String] = [
        "stylize", photo.path, "-m", model.path, "-o", painting.path, "--compute-units", "cpuOnly",
      ]

      let without = try Program.run(words)
      #expect(without.status == 1)
      #expect(
        without.errors.contains(
          "Error creating Core ML custom layer implementation from factory for layer"
            + " \"PosterizeLambda\"."))

      let library: URL = folder.appendingPathComponent("libPosterize.so")
      try Self.build(library)
      let with = try Program.run(words + ["--plugin", library.path])
      #expect(with.status == 0, "\(with.errors)")
      let expected: [UInt8] = pixels.map { UInt8((Double($0) / 85).rounded() * 85) }
      #expect(try Picture(contentsOf: painting).pixels == expected)
    }
  }

  /// The source of a layer that uses every available Apple module.
  private static let everything = """
    import Accelerate
    import Combine
    import CoreFoundation
    import CoreGraphics
    import CoreImage
    import CoreML
    import CoreVideo
    import CreateML
    import Foundation
    import ImageIO
    import TensorFlowLite
    import Vision

    public final class Halved: NSObject, MLCustomLayer {
      public required init(parameters: [String: Any]) throws {
        let context = CIContext()
        let picture = CIImage(cgImage: try Halved.picture())
        guard context.createCGImage(picture, from: picture.extent) != nil,
          VNClassifyImageRequest().results == nil, CFAbsoluteTimeGetCurrent() > 0
        else { throw MLModelError(.parameters) }
        let made = NSMutableData() as CFMutableData
        _ = CGImageDestinationCreateWithData(made, "public.png" as CFString, 1, nil)
        let subject = PassthroughSubject<Int, Never>()
        subject.send(1)
        _ = MLImageClassifier.ModelParameters()
        if let interpreter = try? Interpreter(modelPath: "/nowhere.tflite") {
          _ = interpreter.inputTensorCount
        }
      }

      private static func picture() throws -> CGImage {
        var buffer: CVPixelBuffer?
        CVPixelBufferCreate(kCFAllocatorDefault, 2, 2, kCVPixelFormatType_32BGRA, nil, &buffer)
        guard let buffer,
          let picture = CIContext().createCGImage(
            CIImage(cvPixelBuffer: buffer), from: CGRect(x: 0, y: 0, width: 2, height: 2))
        else { throw MLModelError(.parameters) }
        return picture
      }

      public func setWeightData(_ weights: [Data]) throws {}

      public func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
        inputShapes
      }

      public func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
        for (input, output) in zip(inputs, outputs) {
          let source = input.dataPointer.assumingMemoryBound(to: Float.self)
          let target = output.dataPointer.assumingMemoryBound(to: Float.self)
          var half: Float = 0.5
          vDSP_vsmul(source, 1, &half, target, 1, vDSP_Length(input.count))
        }
      }
    }
    """

  @Test("A plug-in may use every available Apple module, such as vDSP's functions")
  func everyModule() throws {
    try Fixtures.withFolder { folder in
      let source: URL = folder.appendingPathComponent("Halving", isDirectory: true)
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
      try Data(Self.everything.utf8).write(to: source.appendingPathComponent("Halved.swift"))
      let library: URL = folder.appendingPathComponent("libHalving.so")
      try Self.build(source, library)
      let model: URL = folder.appendingPathComponent("halving.mlmodel")
      try Self.model(className: "Halved").write(to: model)
      let photo: URL = folder.appendingPathComponent("photo.png")
      let pixels: [UInt8] = (0..<8 * 8 * 3).map { UInt8($0 / 2 * 2) }
      try Picture(width: 8, height: 8, pixels: pixels).write(toFile: photo.path)
      let outcome = try Program.run(
        "predict", model.path, "-i", "image=\(photo.path)", "-o", folder.path, "--compute-units",
        "cpuOnly", "--plugin", library.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let painting = folder.appendingPathComponent("painting.png")
      #expect(try Picture(contentsOf: painting).pixels == pixels.map { $0 / 2 })

      // The converter also loads the class from the plug-in.
      let words: [String] = [
        "convert", model.path, "-o", folder.appendingPathComponent("other.mlmodel").path,
        "--image-output", "painting=bgr",
      ]
      let converted = try Program.run(words + ["--plugin", library.path])
      #expect(converted.status == 0, "\(converted.errors)")
    }
  }

  private static func build(_ library: URL) throws {
    try build(root.appendingPathComponent("Examples/PosterizePlugin"), library)
  }

  private static func build(_ source: URL, _ library: URL) throws {
    let process = Process()
    process.executableURL = root.appendingPathComponent("Scripts/build_plugin.sh")
    process.arguments = [source.path, library.path]
    var environment: [String: String] = ProcessInfo.processInfo.environment
    environment["ATELIER_BUILD"] = Program.binary?.deletingLastPathComponent().path
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test("A file that is not a library gives a one-line error and exit code 1")
  func noLibrary() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("lib.so")
      try Data("text".utf8).write(to: file)
      let outcome = try Program.run("inspect", "x.mlmodel", "--plugin", file.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("cannot be loaded"))
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }
}
