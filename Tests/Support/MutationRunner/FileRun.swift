import Conversion
import CoreML
import Engine
import Glibc
import Mutants

/// Makes damaged copies of one model file, loads each and predicts with it, in this process. Copies in formats other
/// than Core ML's are written to temporary files and read from there.
///
/// Each copy must give an error or a prediction within ten seconds and 1 GB. If a copy takes longer, an alarm ends the
/// process. If it needs more memory, the system refuses to give more. The last line on standard output states how many
/// mutations and predictions there were. The last line on standard error names the last mutation that ran.
struct FileRun {
  private let seed: UInt64
  private let mutator: Mutator
  private let reader: (any ModelReader.Type)?
  private let copy: URL

  init(path: String, seed: UInt64) throws {
    self.seed = seed
    reader = ModelReaders.foreignReader(of: URL(fileURLWithPath: path))
    copy = FileManager.default.temporaryDirectory.appendingPathComponent(
      "mutant-\(getpid()).\(URL(fileURLWithPath: path).pathExtension)")
    mutator = Mutator([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  func run(_ mutations: Range<Int>) async throws {
    try limitMemory(toMore: 1 << 30)
    defer { try? FileManager.default.removeItem(at: copy) }
    var predicted = 0
    var slowest: (seconds: Double, mutation: Int) = (0, 0)
    for mutation in mutations {
      FileHandle.standardError.write(Data("mutation \(mutation)\n".utf8))
      alarm(10)
      let start: ContinuousClock.Instant = .now
      let bytes: [UInt8] = mutator.mutation(seed: seed &+ UInt64(mutation))
      do {
        let configuration = MLModelConfiguration()
        configuration.allowsAnyInputSize = true
        configuration.memoryLimit = 1 << 29
        let model: MLModel = try await opened(bytes, configuration)
        if let input = try features(for: model.modelDescription) {
          _ = try await model.prediction(from: input)
          predicted += 1
        }
      } catch {
        guard "\(error)".count > 10 else {
          print("mutation \(mutation) gives an error without a message: \(error)")
          exit(1)
        }
      }
      let seconds: Double = (.now - start) / .seconds(1)
      if seconds > slowest.seconds { slowest = (seconds, mutation) }
    }
    alarm(0)
    print(
      "\(mutations.count) mutations, \(predicted) predictions, slowest \(slowest.mutation):"
        + " \(Int(slowest.seconds * 1000)) ms, peak \(peakMegabytes()) MB")
  }
}

extension FileRun {
  private func opened(_ bytes: [UInt8], _ configuration: MLModelConfiguration) async throws
    -> MLModel
  {
    guard let reader else {
      return try await MLModel.load(
        asset: MLModelAsset(specification: Data(bytes)), configuration: configuration)
    }
    try Data(bytes).write(to: copy)
    return try MLModel(
      graph: try reader.read(copy, options: ReadingOptions()), configuration: configuration)
  }
}

/// Limits the memory of the process to its current size plus this many bytes.
func limitMemory(toMore bytes: Int) throws {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line: Substring? = status.split(separator: "\n").first { $0.hasPrefix("VmData:") }
  let kilobytes: Int =
    line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    .flatMap { Int($0) } ?? 0
  var limit = rlimit()
  limit.rlim_cur = rlim_t(kilobytes * 1024 + bytes)
  limit.rlim_max = limit.rlim_cur
  setrlimit(__rlimit_resource_t(2 /* RLIMIT_DATA */), &limit)
}

/// Creates inputs of the declared types. Nil if a model declares an input that cannot be provided.
///
/// - Parameters:
///   - numbers: the values of arrays, by input name. If an array has more elements, its values are repeated. Arrays
///     without values are zero.
///   - isStretched: whether one side of each input is larger by one than the model declares.
func features(
  for description: MLModelDescription, numbers: [String: [Double]] = [:], isStretched: Bool = false
) throws -> MLDictionaryFeatureProvider? {
  var values: [String: Any] = [:]
  for (name, input) in description.inputDescriptionsByName {
    switch input.type {
    case .image:
      guard let constraint = input.imageConstraint else { return nil }
      // A style model's images have 512 pixels per side. A smaller image tests the same code in less time.
      func side(_ declared: Int) -> Int { declared == 512 ? 64 : declared }
      let width: Int = side(constraint.pixelsWide)
      let height: Int = side(constraint.pixelsHigh &+ (isStretched ? 1 : 0))
      guard (1...4096).contains(width), (1...4096).contains(height) else { return nil }
      var buffer: CVPixelBuffer?
      CVPixelBufferCreate(nil, width, height, constraint.pixelFormatType, nil, &buffer)
      guard let buffer else { return nil }
      values[name] = buffer
    case .multiArray:
      guard var shape = input.multiArrayConstraint?.shape else { return nil }
      if isStretched, !shape.isEmpty {
        let axis: Int = (numbers[name]?.count ?? 0) % shape.count
        shape[axis] = NSNumber(value: shape[axis].intValue &+ 1)
      }
      let product: Double = shape.reduce(1) { $0 * $1.doubleValue }
      guard product <= 1e6 else {
        // An array of more than 10¹² elements is only requested. The request must not crash.
        if product > 1e12 { _ = try MLMultiArray(shape: shape, dataType: .float32) }
        return nil
      }
      let array = try MLMultiArray(
        shape: shape, dataType: input.multiArrayConstraint?.dataType ?? .float32)
      if let known = numbers[name], !known.isEmpty {
        for index in 0..<array.count { array[index] = NSNumber(value: known[index % known.count]) }
      }
      values[name] = array
    case .int64, .double: values[name] = 1
    case .string: values[name] = "text"
    default: return nil
    }
  }
  return try MLDictionaryFeatureProvider(dictionary: values)
}
