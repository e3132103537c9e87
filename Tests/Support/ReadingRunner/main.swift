// Reads damaged models of one reader or all readers. If a model can be read, writes it in every format. All of this
// happens in one process, for use with a memory sanitizer. This program does not contain the compute kernels, so a
// build with a sanitizer takes only minutes.
//
//     ReadingRunner [--reader R]… [--seed S] [--count N]

import Conversion
import Foundation
import Graph
import ModelFormat
import Mutants

var readers: [FuzzedReader] = []
var seed: UInt64 = 20_261_121
var count = 300
var words: ArraySlice<String> = CommandLine.arguments.dropFirst()
while let option = words.popFirst() {
  let value: String = words.popFirst() ?? ""
  switch (option, FuzzedReader(rawValue: value), Int(value)) {
  case ("--reader", let reader?, _): readers.append(reader)
  case ("--seed", _, let number?): seed = UInt64(max(0, number))
  case ("--count", _, let number?): count = number
  default:
    print("usage: ReadingRunner [--reader R]… [--seed S] [--count N]")
    exit(2)
  }
}
if readers.isEmpty { readers = FuzzedReader.allCases.filter { $0 != .sizes && $0 != .pictures } }

for reader in readers {
  var (read, written, refused) = (0, 0, 0)
  for number in 0..<count {
    let mutant = Mutant(of: reader, number: number, seed: seed)
    // If a sanitizer reports an error, the last line before its report names the mutant.
    FileHandle.standardError.write(Data("\(reader.rawValue) \(number), \(mutant.kind)\n".utf8))
    let folder: URL = try Scratch.folder("read")
    let source: URL
    switch mutant.content {
    case .model(let bytes, _):
      source = folder.appendingPathComponent("mutant.mlmodel")
      try Data(bytes).write(to: source)
    case .file(let seed): source = try seed.write(into: folder)
    }
    guard let model = try? ModelReaders.read(source) else {
      refused += 1
      continue
    }
    read += 1
    for ending in ModelWriters.all.map({ $0.pathExtension }) {
      let target: URL = folder.appendingPathComponent("made.\(ending)")
      guard (try? ModelWriters.write(model, to: target)) != nil else { continue }
      written += 1
      _ = try? ModelReaders.read(target)
    }
  }
  print("\(reader.rawValue): \(read) read, \(refused) refused, \(written) files written")
}
Scratch.remove(of: getpid())
