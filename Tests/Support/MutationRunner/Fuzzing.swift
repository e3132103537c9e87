import Foundation

/// Many mutants, each watched: who dies, takes too long or too much memory, or refuses without a word.
struct Fuzzing {
  /// What one mutant may take, in seconds.
  static let timeLimit = 10.0
  /// What the process may hold at once, in megabytes: twice the limit given to predictions, for the
  /// copies at the border, and 128 for the program itself.
  static let memoryLimit = Trial.memoryLimit / 1_048_576 * 2 + 128

  private let options: FuzzOptions

  init(_ options: FuzzOptions) { self.options = options }

  /// False where something was found.
  func run() throws -> Bool {
    if let only = options.only { return try one(only) }
    let total: Int = options.count + options.count / 10
    let start: ContinuousClock.Instant = .now
    var tally = Tally()
    var suspects: [Int] = []
    var children: [(child: Child, next: Int)] = []
    for job in 0..<options.jobs { children.append(try child(from: job, total)) }
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
            tally.add(kind(number), verdict, milliseconds: milliseconds)
            if verdict == .speechless || megabytes > Self.memoryLimit { suspects.append(number) }
          case .crashed(let number, _):
            (next, isGone) = (number + options.jobs, true)
            suspects.append(number)
          case .finished: isGone = true
          }
        }
        if !isGone, let current = child.current,
          (.now - current.since) / .seconds(1) > Self.timeLimit
        {
          child.end()
          (next, isGone) = (current.number + options.jobs, true)
          suspects.append(current.number)
        }
        children[index].next = next
        guard isGone else { continue }
        if next < total {
          children[index] = try self.child(from: next, total)
        } else {
          children.remove(at: index)
        }
      }
      if tally.count >= lastReport + 1000 {
        lastReport = tally.count / 1000 * 1000
        let seconds = Int((.now - start) / .seconds(1))
        print("\(tally.count) of \(total), \(suspects.count) to look at, \(seconds) s")
        fflush(nil)
      }
    }
    return try report(tally, suspects, total)
  }

  /// Children are replaced now and then, so that none grows old and large.
  private static let childLife = 400

  private func child(from first: Int, _ total: Int) throws -> (child: Child, next: Int) {
    let end: Int = min(total, first + Self.childLife * options.jobs)
    let child = try Child(
      seed: options.seed, first: first, step: options.jobs, end: end, trap: options.trap)
    return (child, first)
  }

  private func kind(_ number: Int) -> String { Mutant(number: number, seed: options.seed).kind }

  /// Tries what was found again, each alone: a busy machine is nobody's mistake.
  private func report(_ tally: Tally, _ suspects: [Int], _ total: Int) throws -> Bool {
    print(tally.description)
    var findings = 0
    for number in suspects.sorted() {
      guard let fault = try fault(of: number) else { continue }
      findings += 1
      let mutant = Mutant(number: number, seed: options.seed)
      print("mutant \(number), \(mutant.kind): \(fault)")
      let path: String = try keep(mutant, number)
      print("  again: make fuzz SEED=\(options.seed) ONLY=\(number)  kept: \(path)")
    }
    print("\(total) mutants of seed \(options.seed): \(tally.total), \(findings) findings.")
    return findings == 0
  }

  private func keep(_ mutant: Mutant, _ number: Int) throws -> String {
    try FileManager.default.createDirectory(
      at: options.folder, withIntermediateDirectories: true)
    let name = "\(options.seed)-\(number).\(mutant.fileExtension)"
    let file: URL = options.folder.appendingPathComponent(name)
    try Data(mutant.bytes).write(to: file)
    return file.path
  }

  private func one(_ number: Int) throws -> Bool {
    let mutant = Mutant(number: number, seed: options.seed)
    print("mutant \(number), \(mutant.kind), kept: \(try keep(mutant, number))")
    let fault: String? = try fault(of: number, isTold: true)
    if let fault { print(fault) }
    return fault == nil
  }

  /// What is wrong with a mutant; nil where nothing is.
  private func fault(of number: Int, isTold: Bool = false) throws -> String? {
    let child = try Child(
      seed: options.seed, first: number, step: 1, end: number + 1, trap: options.trap)
    while true {
      Child.wait(for: [child])
      for event in child.events() {
        switch event {
        case .ended(_, let verdict, let milliseconds, let megabytes, let words):
          if isTold {
            print("\(verdict.rawValue) in \(milliseconds) ms, \(megabytes) MB: \(words)")
          }
          if verdict == .speechless { return "an error without a sentence: \(words)" }
          if megabytes > Self.memoryLimit {
            return "it held \(megabytes) MB at once, more than \(Self.memoryLimit)"
          }
          return nil
        case .crashed(_, let words): return "it ended the process: \(words)"
        case .finished: return nil
        }
      }
      if let current = child.current, (.now - current.since) / .seconds(1) > Self.timeLimit {
        child.end()
        return "it took longer than \(Int(Self.timeLimit)) s"
      }
    }
  }
}
