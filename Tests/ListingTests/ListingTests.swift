import CoreGraphics
import CoreImage
import CoreML
import Foundation
import Imaging
import Testing

/// Runs the listings that need a model. The listings of all texts are compiled with this target.
@Suite(.serialized)
struct ListingTests {
  private static let shared: URL = {
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return ProcessInfo.processInfo.environment["ATELIER_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? root.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  private static func isAvailable(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: shared.appendingPathComponent(path).path)
  }

  private final class Delegate: ImageProcessorDelegate {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var painting: CGImage?

    func onImageProcessorCompleted(status: Int, stylizedImage: CGImage?) {
      painting = stylizedImage
      done.signal()
    }
  }

  @Test("The book's app gives the same image as ONNX Runtime", .enabled(if: isAvailable("golden")))
  func book() throws {
    let golden: URL = Self.shared.appendingPathComponent(
      "golden/FastStyleTransferVanGoghStarryNight")
    FastStyleTransferVanGoghStarryNight.location = Self.shared.appendingPathComponent(
      "models/starry-night/FastStyleTransferVanGoghStarryNight.mlmodel")
    let (processor, delegate) = (ImageProcessor(), Delegate())
    processor.delegate = delegate
    let photo = try #require(CIImage(contentsOf: golden.appendingPathComponent("input.png")))
    processor.processImage(ciImage: photo)
    delegate.done.wait()
    let found: [UInt8] = try #require(delegate.painting).picture.pixels
    let expected: [UInt8] = try Picture(contentsOf: golden.appendingPathComponent("expected.png"))
      .pixels
    try #require(found.count == expected.count)
    let sum: Int = zip(found, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    #expect(Double(sum) / Double(found.count) <= 1)
  }

  @Test("The tutorial's app learns an emoji and recognises it", .enabled(if: isAvailable("models")))
  func tutorial() throws {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("ListingTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let drawings: URL = Self.shared.appendingPathComponent("models/updatable-drawing")
    UpdatableDrawingClassifier.urlOfModelInThisBundle = try MLModel.compileModel(
      at: drawings.appendingPathComponent("UpdatableDrawingClassifier.mlmodel"))
    UpdatableModel.appDirectory = folder
    let bytes = try Data(contentsOf: drawings.appendingPathComponent("cats1000.bin"))
    let cats: [Drawing] = try (0..<3).map { index in
      let pixels: [UInt8] = bytes[(index * 784)..<((index + 1) * 784)].flatMap { [$0, $0, $0] }
      return Drawing(image: CGImage(try Picture(width: 28, height: 28, pixels: pixels)))
    }
    #expect(UpdatableModel.predictLabelFor(cats[0].featureValue) == nil)
    for emoji in ["🐱", "😺"] {
      // When the model is saved for the second time, it replaces a non-empty folder.
      let store = DrawingDataStore(emoji: emoji, drawings: cats.map { $0 } + [nil])
      let done = DispatchSemaphore(value: 0)
      UpdatableModel.updateWith(trainingData: try store.prepareTrainingData()) { done.signal() }
      done.wait()
      #expect(["🐱", "😺"].contains(UpdatableModel.predictLabelFor(cats[0].featureValue)))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        == ["personalized.mlmodelc"])
  }

  @Test("The article's frames are stylised with any compute units", arguments: 0...2)
  func article(units: Int) throws {
    guard Self.isAvailable("models/createml-style") else { return }
    StyleBlue.location = Self.shared.appendingPathComponent(
      "models/createml-style/StyleBlue.mlmodel")
    let picture = try Picture(width: 64, height: 48, pixels: [UInt8](repeating: 99, count: 9216))
    let stylist = FrameStylist()
    stylist.currentModelConfig = units
    stylist.captureOutput(try picture.pixelBuffer(format: kCVPixelFormatType_32BGRA))
    #expect(stylist.frame.map(CVPixelBufferGetWidth) == 512)
  }

  @Test("Pixels survive a round trip as in TensorFlow Lite's walk-through")
  func pixels() throws {
    let bytes: [UInt8] = (0..<48).map { UInt8($0 * 5) }
    let image = try #require(convertRGBToImage(rgbData: bytes, width: 4, height: 4))
    #expect(try image.picture.pixels == bytes)
    let picture = try Picture(width: 16, height: 4, pixels: [UInt8](repeating: 7, count: 192))
    let buffer = try picture.pixelBuffer(format: kCVPixelFormatType_32BGRA)
    try #require(CVPixelBufferGetDataSize(buffer) == 16 * 4 * 4)
    let rgb = rgbDataFromBuffer(buffer, byteCount: 192, isModelQuantized: true)
    #expect(rgb == Data(repeating: 7, count: 192))
    #expect(rgbDataFromBuffer(buffer, byteCount: 192, isModelQuantized: false)?.count == 768)
  }

  @Test("The five most likely labels are in order")
  func labels() {
    let names: [String] = (0..<1000).map { "label \($0)" }
    let probabilities: [Float] = (0..<1000).map { Float($0 * 7 % 1000) }
    let top = Labels(labels: names).top5Labels(prediction: probabilities)
    #expect(top.map(\.probability) == [999, 998, 997, 996, 995])
    #expect(top[0].label == "label 857")
  }
}
