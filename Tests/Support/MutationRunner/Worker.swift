import OperatorSamples
import Engine
import Foundation

/// Tries mutants one after another in this process, and says on its output which one begins and what
/// came of it: `start NUMBER`, `end NUMBER VERDICT MILLISECONDS MEGABYTES WORDS`.
struct Worker {
  let seed: UInt64
  /// The number over which it dies on purpose; −1 for none.
  let trap: Int

  /// What a mutant that asks for more memory than this is refused by the system, in bytes.
  static let hardLimit = 2 << 30

  func run(_ numbers: some Sequence<Int>) async throws {
    try limitMemory(toMore: Self.hardLimit)
    let output = FileHandle.standardOutput
    for number in numbers {
      let mutant = Mutant(number: number, seed: seed)
      output.write(Data("start \(number)\n".utf8))
      if number == trap { fatalError("a trap was asked for") }
      Self.forgetPeak()
      let start: ContinuousClock.Instant = .now
      let (verdict, words) = await mutant.run()
      let milliseconds = Int((.now - start) / .milliseconds(1))
      let line: String = words.replacing("\n", with: " ")
      output.write(
        Data(
          "end \(number) \(verdict.rawValue) \(milliseconds) \(peakMegabytes()) \(line)\n".utf8
        ))
    }
  }

  /// From now on the peak is what is held at once after this.
  private static func forgetPeak() {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
    try? file.write(contentsOf: Data("5".utf8))
    try? file.close()
  }
}

/// The most memory that this process has held at once. `getrusage` would count what the process that
/// started it held.
func peakMegabytes() -> Int {
  let status: String? = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line: Substring? = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) / 1024
}

/// A damaged model or picture, made from its number and the seed alone.
struct Mutant {
  let kind: String
  private let content: Content

  private enum Content {
    case model([UInt8], [String: [Double]])
    case picture([UInt8])
  }

  /// Every eleventh is a picture; models go round through all layer types and compounds. Those of the
  /// first round are whole, to see that they compute.
  init(number: Int, seed: UInt64) {
    var generator = SplitMix(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    if number % 11 == 10 {
      let pictures = PictureSeed.all
      let picture = pictures[number / 11 % pictures.count]
      kind = picture.kind
      content = .picture(
        number / 11 < pictures.count ? picture.bytes : picture.mutant(using: &generator))
      return
    }
    let turn: Int = number - number / 11
    let types = ModelSeed.byLayerType
    let compounds = ModelSeed.compounds
    let place: Int = turn % (types.count + compounds.count)
    let seed: ModelSeed?
    let isWhole: Bool = turn < types.count + compounds.count
    if place < types.count {
      let samples: [OperatorSample] = types[place].samples
      let sample = isWhole ? samples.first : samples.randomElement(using: &generator)
      seed =
        ModelSeed.special(types[place].kind)
        ?? sample.flatMap { ModelSeed($0, kind: types[place].kind) }
    } else {
      seed = compounds[place - types.count].make(&generator)
    }
    guard let seed else {
      preconditionFailure("every layer type has a sample that a file can hold")
    }
    kind = seed.kind
    guard !isWhole else {
      content = .model(seed.model.serialized(), seed.values)
      return
    }
    var mutator = SeedMutator(seed: generator.next())
    let bytes: [UInt8] = mutator.mutate(seed)
    content = .model(bytes, mutator.mutateValues(seed.values))
  }

  func run() async -> (Verdict, String) {
    switch content {
    case .model(let bytes, let numbers): await Trial.model(bytes, numbers)
    case .picture(let bytes): Trial.picture(bytes)
    }
  }

  /// The file, to be looked at.
  var bytes: [UInt8] {
    switch content {
    case .model(let bytes, _), .picture(let bytes): bytes
    }
  }

  /// `.mlmodel`, or the picture's.
  var fileExtension: String {
    if case .picture = content { return kind }
    return "mlmodel"
  }
}
