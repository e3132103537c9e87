import Engine
import Foundation
import Glibc
import Mutants

/// Tries mutants one after another in this process. Reports the start and the result of each mutant on standard output.
/// In the line `start NUMBER MILLISECONDS`, the time is the processor time that this process has used when it starts
/// the mutant. In the line `end NUMBER VERDICT MILLISECONDS MEGABYTES WORDS`, it is the processor time of this mutant
/// alone.
struct Worker {
  let reader: FuzzedReader
  let seed: UInt64
  /// The number of the mutant at which the worker deliberately crashes, or −1.
  let trap: Int

  /// The hard memory limit in bytes. The system refuses allocations that would exceed this limit.
  static let hardLimit = 2 << 30

  func run(_ numbers: some Sequence<Int>) async throws {
    try limitMemory(toMore: Self.hardLimit)
    let output = FileHandle.standardOutput
    for number in numbers {
      let mutant = FuzzCase(of: reader, number: number, seed: seed)
      let start: Int = processorMilliseconds()
      output.write(Data("start \(number) \(start)\n".utf8))
      if number == trap { fatalError("this trap was requested by --trap") }
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

  /// Resets the recorded peak memory to the memory that is in use now.
  private static func forgetPeak() {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
    try? file.write(contentsOf: Data("5".utf8))
    try? file.close()
  }
}

/// Returns the processor time of all threads of this process, in milliseconds.
func processorMilliseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

/// Returns the peak memory of this process in MiB. `getrusage` would include the peak of the parent process.
func peakMegabytes() -> Int {
  let status: String? = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line: Substring? = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) / 1024
}
