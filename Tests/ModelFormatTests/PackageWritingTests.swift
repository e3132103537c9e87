import Foundation
import Testing

@testable import ModelFormat

@Suite("Writing packages")
struct PackageWritingTests {
  private func temporary() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mlpackage")
  }

  @Test("Blobs keep their types, counts and bytes, at aligned positions")
  func blobs() throws {
    let url = temporary()
    defer { try? FileManager.default.removeItem(at: url) }
    var offsets: [UInt64] = []
    try Spec.Model.writePackage(to: url) { weights in
      offsets.append(try weights.add(.float16, count: 3, ByteValues([1, 2, 3, 4, 5, 6])))
      offsets.append(try weights.add(.uint4, count: 3, ByteValues([0x21, 0x03])))
      offsets.append(
        try weights.add(.int8, count: 100, ByteValues([UInt8](repeating: 7, count: 100))))
      var model = Spec.Model()
      model.specificationVersion = 6
      model.type = .mlProgram(Spec.MILSpec.Program())
      return model
    }
    let file = try ModelFile.open(url)
    let blobs = try file.blobFile(named: ModelPackage.weightFileName)
    #expect(blobs.claimedCount == 3)
    #expect(offsets.allSatisfy { $0 % 64 == 0 })
    #expect(try blobs.blob(at: offsets[0]).bytes.array() == [1, 2, 3, 4, 5, 6])
    let packed = try blobs.blob(at: offsets[1])
    #expect(packed.dataType == .uint4 && packed.count == 3)
    #expect(try blobs.blob(at: offsets[2]).count == 100)
  }

  @Test("A folder with other contents is not replaced, and a failed package leaves the old one")
  func keeping() throws {
    let url = temporary()
    defer { try? FileManager.default.removeItem(at: url) }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let note = url.appendingPathComponent("note.txt")
    try Data("mine".utf8).write(to: note)
    #expect(throws: ModelFormatError.self) {
      try Spec.Model.writePackage(to: url) { _ in Spec.Model() }
    }
    #expect(try String(contentsOf: note, encoding: .utf8) == "mine")
    try FileManager.default.removeItem(at: note)
    func model(_ version: Int32) -> Spec.Model {
      var model = Spec.Model()
      model.specificationVersion = version
      model.type = .mlProgram(Spec.MILSpec.Program())
      return model
    }
    try Spec.Model.writePackage(to: url) { _ in model(7) }
    struct Stop: Error {}
    #expect(throws: Stop.self) { try Spec.Model.writePackage(to: url) { _ in throw Stop() } }
    #expect(try ModelFile.open(url).model.specificationVersion == 7)
  }
}
