import Foundation
import Mutants

/// The options of the command line.
struct FuzzOptions {
  /// The seed of all random numbers.
  var seed: UInt64 = 20_261_121
  /// The readers to test. Empty for all readers.
  var readers: [FuzzedReader] = []
  /// The number of mutants for each reader. For `sizes`, only a tenth of this number is tried.
  var count = 20_000
  /// The number of concurrent child processes.
  var jobs: Int = max(1, min(8, ProcessInfo.processInfo.activeProcessorCount))
  /// The folder for files that cause findings.
  var folder = URL(fileURLWithPath: ".build/fuzz")
  /// The number of the only mutant to try, if set.
  var only: Int?
  /// The number of a mutant at which the child deliberately crashes. A test uses it to verify that crashes are
  /// detected.
  var trap: Int?

  /// Parses the command line. Nil for invalid arguments.
  init?(_ words: some Sequence<String>) {
    var words = Array(words)[...]
    while let option = words.popFirst() {
      guard let value = words.popFirst() else { return nil }
      switch (option, Int(value)) {
      case ("--seed", _):
        guard let number = UInt64(value) else { return nil }
        seed = number
      case ("--reader", _):
        guard let reader = FuzzedReader(rawValue: value) else { return nil }
        readers.append(reader)
      case ("--count", let number?) where number > 0: count = number
      case ("--jobs", let number?) where number > 0: jobs = number
      case ("--only", let number?) where number >= 0: only = number
      case ("--trap", let number?): trap = number
      case ("--keep", _): folder = URL(fileURLWithPath: value)
      default: return nil
      }
    }
    if readers.isEmpty { readers = FuzzedReader.allCases }
  }
}
