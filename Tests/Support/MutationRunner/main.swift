// Loads and predicts with damaged copies of a model: `MutationRunner MODEL SEED COUNT`.
//
// Each must give an error or a prediction within ten seconds and a gigabyte; who takes longer is
// ended by the alarm, who asks for more gets none. The last line of the output says how many
// predicted, the one before which mutation ran last.

import CoreML
import Glibc

let arguments: [String] = CommandLine.arguments
guard arguments.count >= 4, let seed = UInt64(arguments[2]), let count = Int(arguments[3]) else {
  print("usage: MutationRunner MODEL SEED COUNT [FIRST]")
  exit(2)
}
let first: Int = arguments.count > 4 ? Int(arguments[4]) ?? 0 : 0
let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[1])))
let mutator = Mutator(original)
try limitMemory(toMore: 1 << 30)

var predicted = 0
var slowest: (seconds: Double, mutation: Int) = (0, 0)
for mutation in first..<first + count {
  FileHandle.standardError.write(Data("mutation \(mutation)\n".utf8))
  alarm(10)
  let start: ContinuousClock.Instant = .now
  let bytes: [UInt8] = mutator.mutation(seed: seed &+ UInt64(mutation))
  do {
    let model: MLModel = try await MLModel.load(
      asset: MLModelAsset(specification: Data(bytes)), configuration: limits())
    if let input = try provider(for: model.modelDescription) {
      _ = try model.prediction(from: input)
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
var usage = rusage()
getrusage(0 /* RUSAGE_SELF */, &usage)
print(
  "\(count) mutations, \(predicted) predictions, slowest \(slowest.mutation):"
    + " \(Int(slowest.seconds * 1000)) ms, peak \(usage.ru_maxrss / 1024) MB")

/// What a careful server would configure.
func limits() -> MLModelConfiguration {
  let configuration = MLModelConfiguration()
  configuration.allowsAnyInputSize = true
  configuration.memoryLimit = 1 << 29
  return configuration
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
func provider(for description: MLModelDescription) throws -> MLDictionaryFeatureProvider? {
  var values: [String: Any] = [:]
  for (name, input) in description.inputDescriptionsByName {
    switch input.type {
    case .image:
      guard let constraint = input.imageConstraint else { return nil }
      // The style model's 512 pixels would only take time.
      func side(_ declared: Int) -> Int { declared == 512 ? 64 : declared }
      let (width, height) = (side(constraint.pixelsWide), side(constraint.pixelsHigh))
      guard (1...4096).contains(width), (1...4096).contains(height) else { return nil }
      var buffer: CVPixelBuffer?
      CVPixelBufferCreate(nil, width, height, constraint.pixelFormatType, nil, &buffer)
      guard let buffer else { return nil }
      values[name] = buffer
    case .multiArray:
      guard let shape = input.multiArrayConstraint?.shape else { return nil }
      let product: Double = shape.reduce(1) { $0 * $1.doubleValue }
      guard (1...1e7).contains(product) else { return nil }
      values[name] = try MLMultiArray(shape: shape, dataType: .float32)
    case .int64, .double: values[name] = 1
    case .string: values[name] = "text"
    default: return nil
    }
  }
  return try MLDictionaryFeatureProvider(dictionary: values)
}
