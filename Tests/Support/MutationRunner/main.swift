// Looks for files that end the process instead of giving an error.
//
//     MutationRunner MODEL SEED COUNT [FIRST]      damaged copies of one model file, in this process
//     MutationRunner fuzz [--seed S] [--count N] [--jobs J] [--keep FOLDER]
//                                                  damaged copies of small models over all layers and
//                                                  of small pictures, each watched in a child
//     MutationRunner fuzz --seed S --only NUMBER   one of them again, with what it says
//     MutationRunner onnx FOLDER SEED COUNT        damaged copies of the ONNX models of a folder of tests
//     MutationRunner worker SEED FIRST STEP END TRAP
//                                                  the child

import Foundation

let arguments: [String] = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "fuzz":
  guard let options = FuzzOptions(arguments.dropFirst()) else { usage() }
  exit(try Fuzzing(options).run() ? 0 : 1)
case "worker":
  guard arguments.count >= 6, let seed = UInt64(arguments[1]), let first = Int(arguments[2]),
    let step = Int(arguments[3]), let end = Int(arguments[4]), let trap = Int(arguments[5])
  else { usage() }
  try await Worker(seed: seed, trap: trap).run(stride(from: first, to: end, by: step))
case "onnx":
  guard arguments.count >= 4, let seed = UInt64(arguments[2]), let count = Int(arguments[3]) else {
    usage()
  }
  exit(try ONNXMutants(folder: arguments[1], seed: seed).run(0..<count) ? 0 : 1)
default:
  guard arguments.count >= 3, let seed = UInt64(arguments[1]), let count = Int(arguments[2]) else {
    usage()
  }
  let first: Int = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
  try await FileRun(path: arguments[0], seed: seed).run(first..<first + count)
}

func usage() -> Never {
  print(
    """
    usage: MutationRunner MODEL SEED COUNT [FIRST]
           MutationRunner fuzz [--seed S] [--count N] [--jobs J] [--keep FOLDER] [--only NUMBER]
           MutationRunner onnx FOLDER SEED COUNT
    """)
  exit(2)
}
