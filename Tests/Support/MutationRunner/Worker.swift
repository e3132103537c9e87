import Engine
import Foundation
import Glibc
import Mutants

/// Tries mutants one after another in this process, and says on its output which one begins and what
/// came of it: `start NUMBER MILLISECONDS`, the processor time so far, and
/// `end NUMBER VERDICT MILLISECONDS MEGABYTES WORDS`, the processor time that it took.
struct Worker {
  let reader: FuzzedReader
  let seed: UInt64
  /// The number over which it dies on purpose; −1 for none.
  let trap: Int

  /// What a mutant that asks for more memory than this is refused by the system, in bytes.
  static let hardLimit = 2 << 30

  func run(_ numbers: some Sequence<Int>) async throws {
    try limitMemory(toMore: Self.hardLimit)
    let output = FileHandle.standardOutput
    for number in numbers {
      let mutant = FuzzCase(of: reader, number: number, seed: seed)
      let start: Int = processorMilliseconds()
      output.write(Data("start \(number) \(start)\n".utf8))
      if number == trap { fatalError("a trap was asked for") }
      Self.forgetPeak()
      let (verdict, words) = await mutant.run()
      let milliseconds: Int = processorMilliseconds() - start
      let line: String = words.replacing("\n", with: " ")
      output.write(
        Data(
          "end \(number) \(verdict.rawValue) \(milliseconds) \(peakMegabytes()) \(line)\n".utf8
        ))
    }
    Scratch.remove(of: getpid())
  }

  /// From now on the peak is what is held at once after this.
  private static func forgetPeak() {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
    try? file.write(contentsOf: Data("5".utf8))
    try? file.close()
  }
}

/// The processor time of all threads of this process, in milliseconds.
func processorMilliseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

/// The most memory that this process has held at once. `getrusage` would count what the process that
/// started it held.
func peakMegabytes() -> Int {
  let status: String? = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line: Substring? = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) / 1024
}
