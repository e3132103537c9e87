import Foundation
import Mutants

/// Runs many mutants in child processes. Reports crashes, mutants that exceed a limit of time or memory, errors without
/// a message, and wrong conversions.
struct Fuzzing {
  /// The processor time limit of one mutant, in seconds.
  static let timeLimit = 10.0
  /// The elapsed-time limit of one mutant, in seconds. A mutant that takes longer counts as a deadlock.
  static let waitLimit = 300.0
  /// The limit of the process's peak memory, in MiB: twice the memory limit of a prediction, plus 128 MiB for the
  /// program itself. The factor two allows for copies of inputs and outputs.
  static let memoryLimit = Trial.memoryLimit / 1_048_576 * 2 + 128

  private let options: FuzzOptions

  init(_ options: FuzzOptions) { self.options = options }

  /// Tests the readers. Returns false if there are findings.
  func run() throws -> Bool {
    // The generation of seeds uses a temporary folder in this process, too.
    defer { Scratch.remove(of: getpid()) }
    if let only = options.only { return try one(only) }
    var findings = 0
    for reader in options.readers { findings += try run(reader) }
    return findings == 0
  }

  /// Runs one reader's mutants and returns the number of findings.
  private func run(_ reader: FuzzedReader) throws -> Int {
    let total: Int = reader.count(of: options.count)
    let start: ContinuousClock.Instant = .now
    var tally = Tally()
    var suspects: [Int] = []
    var children: [(child: Child, next: Int)] = []
    for job in 0..<min(options.jobs, total) {
      children.append(try child(reader, from: job, total))
    }
    var lastReport = 0
    while !children.isEmpty {
      Child.wait(for: children.map(\.child))
      for index in children.indices.reversed() {
        var (child, next) = children[index]
        var isGone = false
        for event in child.events() {
          switch event {
          case .ended(let number, let verdict, let milliseconds, let megabytes, _):
            next = number + options.jobs
            let kind: String = FuzzCase(of: reader, number: number, seed: options.seed).kind
            tally.add(kind, verdict, milliseconds: milliseconds)
            if verdict.isFinding || megabytes > Self.memoryLimit { suspects.append(number) }
          case .crashed(let number, _):
            (next, isGone) = (number + options.jobs, true)
            suspects.append(number)
          case .finished: isGone = true
          }
        }
        if !isGone, let current = child.current, child.delay != nil {
          child.end()
          (next, isGone) = (current.number + options.jobs, true)
          suspects.append(current.number)
        }
        children[index].next = next
        guard isGone else { continue }
        if next < total {
          children[index] = try self.child(reader, from: next, total)
        } else {
          children.remove(at: index)
        }
      }
      if tally.count >= lastReport + 1000 {
        lastReport = tally.count / 1000 * 1000
        let seconds = Int((.now - start) / .seconds(1))
        print(
          "\(reader.rawValue): \(tally.count) of \(total), \(suspects.count) to verify, \(seconds) s"
        )
        fflush(nil)
      }
    }
    return try report(reader, tally, suspects, total)
  }

  /// A child is replaced after this many mutants, so that its memory use stays small.
  private static let childLife = 1000

  private func child(_ reader: FuzzedReader, from first: Int, _ total: Int) throws -> (
    child: Child, next: Int
  ) {
    let end: Int = min(total, first + Self.childLife * options.jobs)
    let child = try Child(
      of: reader, seed: options.seed, first: first, step: options.jobs, end: end,
      trap: options.trap)
    return (child, first)
  }

  /// Tries each suspicious mutant again, in a process of its own, and reports the mutant's problem. Returns the number
  /// of confirmed findings.
  private func report(_ reader: FuzzedReader, _ tally: Tally, _ suspects: [Int], _ total: Int)
    throws -> Int
  {
    print(tally.description)
    var findings = 0
    for number in suspects.sorted() {
      guard let fault = try fault(of: reader, number) else { continue }
      findings += 1
      let mutant = FuzzCase(of: reader, number: number, seed: options.seed)
      print("\(reader.rawValue) mutant \(number), \(mutant.kind): \(fault)")
      let path: String = try store(mutant, reader, number)
      print(
        "  again: make fuzz READER=\(reader.rawValue) SEED=\(options.seed) ONLY=\(number)"
          + "  file: \(path)")
    }
    print(
      "\(reader.rawValue): \(total) mutants of seed \(options.seed), \(tally.total),"
        + " \(findings) findings.")
    return findings
  }

  private func store(_ mutant: FuzzCase, _ reader: FuzzedReader, _ number: Int) throws -> String {
    try mutant.store(in: options.folder, as: "\(reader.rawValue)-\(options.seed)-\(number)")
  }

  private func one(_ number: Int) throws -> Bool {
    var isRight = true
    for reader in options.readers {
      let mutant = FuzzCase(of: reader, number: number, seed: options.seed)
      let path: String = try store(mutant, reader, number)
      print("\(reader.rawValue) mutant \(number), \(mutant.kind), file: \(path)")
      if let fault = try fault(of: reader, number, isVerbose: true) {
        print(fault)
        isRight = false
      }
    }
    return isRight
  }

  /// Describes the problem of a mutant. Nil if the mutant has no problem.
  private func fault(of reader: FuzzedReader, _ number: Int, isVerbose: Bool = false) throws
    -> String?
  {
    let child = try Child(
      of: reader, seed: options.seed, first: number, step: 1, end: number + 1, trap: options.trap)
    while true {
      Child.wait(for: [child])
      for event in child.events() {
        switch event {
        case .ended(_, let verdict, let milliseconds, let megabytes, let words):
          if isVerbose {
            print("\(verdict.rawValue) in \(milliseconds) ms, \(megabytes) MB: \(words)")
          }
          if verdict == .withoutMessage { return "an error without a message: \(words)" }
          if verdict == .misconverted { return words }
          if megabytes > Self.memoryLimit {
            return "its peak memory was \(megabytes) MiB, more than \(Self.memoryLimit)"
          }
          return nil
        case .crashed(_, let words): return "it ended the process: \(words)"
        case .finished: return nil
        }
      }
      if let delay = child.delay {
        child.end()
        return delay
      }
    }
  }
}
