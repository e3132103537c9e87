import Conversion
import CoreML
import Engine
import Glibc
import Mutants

/// Loads and predicts with damaged copies of one model file, all in this process. Files of other formats than
/// Core ML's are read from a copy beside the system's temporary files.
///
/// Each must give an error or a prediction within ten seconds and a gigabyte; who takes longer is
/// ended by the alarm, who asks for more gets none. The last line of the output says how many
/// predicted, the last one of the errors which mutation ran last.
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
          print("mutation \(mutation) has no sentence: \(error)")
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

/// Lets the process have so many bytes more than it has now.
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

/// Inputs of the declared types; nil where a model asks for what nobody could give it.
///
/// - Parameters:
///   - numbers: what arrays hold, by name, repeated where they are larger; else zeros.
///   - isStretched: whether one side of each is longer by one than the model declares.
func features(
  for description: MLModelDescription, numbers: [String: [Double]] = [:], isStretched: Bool = false
) throws -> MLDictionaryFeatureProvider? {
  var values: [String: Any] = [:]
  for (name, input) in description.inputDescriptionsByName {
    switch input.type {
    case .image:
      guard let constraint = input.imageConstraint else { return nil }
      // The style model's 512 pixels would only take time.
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
        let place: Int = (numbers[name]?.count ?? 0) % shape.count
        shape[place] = NSNumber(value: shape[place].intValue &+ 1)
      }
      let product: Double = shape.reduce(1) { $0 * $1.doubleValue }
      guard product <= 1e6 else {
        // Nobody could fill it. Asking for what no machine has must be safe all the same.
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
