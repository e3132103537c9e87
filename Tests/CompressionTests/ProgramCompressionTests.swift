import CoreML
import Foundation
import Testing

@testable import Compression
@testable import ModelFormat

@Suite("Compressed ML Programs")
struct ProgramCompressionTests {
  private static let text = """
    program(1.0)
    {
        func main<ios15>(tensor<fp32, [1, 32]> x) {
                tensor<fp32, [64, 32]> w = const()[name = tensor<string, []>("w"), val = tensor<fp32, [64, 32]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/weight.bin"), offset = tensor<uint64, []>(64)))];
                tensor<fp32, [64]> b = const()[name = tensor<string, []>("b"), val = tensor<fp32, [64]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/weight.bin"), offset = tensor<uint64, []>(OFFSET)))];
                tensor<fp32, [1, 64]> y = linear(bias = b, weight = w, x = x)[name = tensor<string, []>("y")];
            } -> (y);
    }
    """

  private static func floats(_ count: Int) -> [Float] {
    (0..<count).map { Float(sin(Double($0) * 78.233) * 0.3) }
  }

  private static func write(to url: URL) throws {
    try Spec.Model.writePackage(to: url) { weights in
      _ = try weights.add(.float32, count: 2048, FloatValues(floats(2048)).bytes)
      let offset: UInt64 = try weights.add(.float32, count: 64, FloatValues(floats(64)).bytes)
      let program = try MILText(
        parsing: ByteValues(
          [UInt8](text.replacingOccurrences(of: "OFFSET", with: "\(offset)").utf8))
      ).program
      return .making { model in
        model.specificationVersion = 6
        model.type = .mlProgram(program)
        model.description = .making { description in
          description.input = [.array("x", [1, 32], .float32)]
          description.output = [.array("y", [1, 64], .float32)]
        }
      }
    }
  }

  private static func predict(_ url: URL) throws -> [Double] {
    let input = try MLMultiArray(shape: [1, 32], dataType: .float32)
    for index in 0..<input.count { input[index] = NSNumber(value: cos(Double(index))) }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let output = try MLModel(contentsOf: url, configuration: configuration).prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["x": MLFeatureValue(multiArray: input)]))
    let array = try #require(output.featureValue(for: "y")?.multiArrayValue)
    return (0..<array.count).map { array[$0].doubleValue }
  }

  /// Each case has the settings, an operation that the compressed program must contain, and the largest allowed
  /// difference between its predictions and those of the original program.
  static let cases: [(CompressionSettings, String, Double)] = {
    func settings(
      _ bits: Int, _ mode: CompressionSettings.Mode = .linear, group: Int? = nil,
      sparsity: Double? = nil
    ) -> CompressionSettings {
      var settings = CompressionSettings(bits: bits, mode: mode)
      (settings.groupSize, settings.sparsity) = (group, sparsity)
      return settings
    }
    return [
      (settings(16), "constexpr_cast", 1e-3),
      (settings(8), "constexpr_affine_dequantize", 0.02),
      (settings(8, .linearSymmetric), "constexpr_affine_dequantize", 0.02),
      (settings(8, .kMeans), "constexpr_lut_to_dense", 0.02),
      (settings(6), "constexpr_lut_to_dense", 0.1),
      (settings(4), "constexpr_blockwise_shift_scale", 0.4),
      (settings(4, .linearSymmetric, group: 8), "constexpr_blockwise_shift_scale", 0.4),
      (settings(4, .kMeans), "constexpr_lut_to_dense", 0.4),
      (settings(3, .kMeans, group: 16), "constexpr_lut_to_dense", 0.6),
      (settings(16, sparsity: 0.1), "constexpr_sparse_to_dense", 0.2),
      (settings(8, sparsity: 0.1), "constexpr_sparse_blockwise_shift_scale", 0.2),
      (settings(8, .kMeans, sparsity: 0.1), "constexpr_lut_to_sparse", 0.2),
    ]
  }()

  @Test(
    "Every compressed form predicts close to the original, and can be read back as text",
    arguments: cases.indices)
  func forms(index: Int) throws {
    let (settings, operation, allowed) = Self.cases[index]
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (before, after) = (
      folder.appendingPathComponent("a.mlpackage"), folder.appendingPathComponent("b.mlpackage")
    )
    try Self.write(to: before)
    let report = try ModelCompressor(settings).compress(try ModelFile.open(before), to: after)
    #expect(report.tensors.map(\.layer) == ["w"])
    let (original, compressed) = (try Self.predict(before), try Self.predict(after))
    let largest: Double = original.map { abs($0) }.max()!
    let distance: Double = zip(original, compressed).map { abs($0 - $1) }.max()! / largest
    #expect(distance < allowed)
    #expect(distance > 0)
    guard case .mlProgram(let program)? = try ModelFile.open(after).model.type else { return }
    let operations = try #require(
      program.functions["main"]?.blockSpecializations.values.first?.operations)
    #expect(operations.contains { $0.type == operation })
  }

  @Test("A model of a package cannot be written as a single file, which cannot store its weights")
  func singleFile() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let package = folder.appendingPathComponent("a.mlpackage")
    try Self.write(to: package)
    #expect(throws: CompressionError.self) {
      try ModelCompressor(CompressionSettings(bits: 8)).compress(
        try ModelFile.open(package), to: folder.appendingPathComponent("b.mlmodel"))
    }
  }
}
