// Finds files that crash the process instead of causing an error.
//
//     MutationRunner MODEL SEED COUNT [FIRST]      damages one model file, in this process
//     MutationRunner fuzz [--reader R]… [--seed S] [--count N] [--jobs J] [--keep FOLDER]
//                                                  damages small models of one reader or all readers,
//                                                  and small images, each in a watched child process
//     MutationRunner fuzz --reader R --seed S --only NUMBER
//                                                  repeats one mutant and prints its result
//     MutationRunner worker READER SEED FIRST STEP END TRAP
//                                                  the child process

import Foundation
import Mutants

let arguments: [String] = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "fuzz":
  guard let options = FuzzOptions(arguments.dropFirst()) else { usage() }
  exit(try Fuzzing(options).run() ? 0 : 1)
case "worker":
  guard arguments.count >= 7, let reader = FuzzedReader(rawValue: arguments[1]),
    let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
    let step = Int(arguments[4]), let end = Int(arguments[5]), let trap = Int(arguments[6])
  else { usage() }
  try await Worker(reader: reader, seed: seed, trap: trap)
    .run(stride(from: first, to: end, by: step))
default:
  guard arguments.count >= 3, let seed = UInt64(arguments[1]), let count = Int(arguments[2]) else {
    usage()
  }
  let first: Int = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
  try await FileRun(path: arguments[0], seed: seed).run(first..<first + count)
}

func usage() -> Never {
  let readers: String = FuzzedReader.allCases.map(\.rawValue).joined(separator: ", ")
  print(
    """
    usage: MutationRunner MODEL SEED COUNT [FIRST]
           MutationRunner fuzz [--reader R]… [--seed S] [--count N] [--jobs J] [--keep FOLDER]
                               [--only NUMBER]
    The readers are \(readers).
    """)
  exit(2)
}
