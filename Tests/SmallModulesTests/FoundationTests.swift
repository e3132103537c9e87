import AppleFoundation
import Foundation
import Testing

/// An object of an archive. Its class has to be at the top level, because Foundation reads it by name.
final class ArchivedWord: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let text: String

  init(_ text: String) { self.text = text }

  init?(coder: NSCoder) {
    text = (coder.decodeObject(of: NSString.self, forKey: "text") ?? "") as String
  }

  func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "text") }
}

/// What Foundation brings only on Apple's systems.
struct FoundationTests {
  private final class Counter: @unchecked Sendable {
    // Sendable: the tests lock the object.
    var count = 0
  }

  @Test("An archived array of objects is read, and another root object gives nil")
  func archivedArray() throws {
    func read(_ root: Any) throws -> [ArchivedWord]? {
      try NSKeyedUnarchiver.unarchivedArrayOfObjects(
        ofClass: ArchivedWord.self,
        from: NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true))
    }
    #expect(try read([ArchivedWord("a"), ArchivedWord("b")])?.map(\.text) == ["a", "b"])
    #expect(try read(ArchivedWord("c")) == nil)
    let mixed: Data = try NSKeyedArchiver.archivedData(
      withRootObject: [ArchivedWord("a"), NSNumber(value: 2)] as [Any], requiringSecureCoding: true)
    let objects: [Any]? = try NSKeyedUnarchiver.unarchivedArrayOfObjects(
      ofClasses: [ArchivedWord.self, NSNumber.self], from: mixed)
    #expect(objects?.count == 2 && objects?.last as? Int == 2)
  }

  @Test("An item replaces another one, whose place it takes")
  func replacement() throws {
    let files = FileManager.default
    let folder: URL = files.temporaryDirectory.appendingPathComponent(
      "replace-\(UUID().uuidString)")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let (old, new) = (folder.appendingPathComponent("old"), folder.appendingPathComponent("new"))
    try Data("old".utf8).write(to: old)
    try Data("new".utf8).write(to: new)
    var place: NSURL?
    try files.replaceItem(
      at: old, withItemAt: new, backupItemName: nil, options: .usingNewMetadataOnly,
      resultingItemURL: &place)
    #expect(try String(contentsOf: old, encoding: .utf8) == "new")
    #expect(!files.fileExists(atPath: new.path) && place?.lastPathComponent == "old")
    #expect(throws: (any Error).self) {
      try files.replaceItem(
        at: old, withItemAt: new, backupItemName: nil, options: [], resultingItemURL: nil)
    }
    #expect(try String(contentsOf: old, encoding: .utf8) == "new")
    try Data("newer".utf8).write(to: new)
    try files.replaceItem(
      at: old, withItemAt: new, backupItemName: "kept", options: .withoutDeletingBackupItem,
      resultingItemURL: nil)
    #expect(try String(contentsOf: old, encoding: .utf8) == "newer")
    #expect(try files.contentsOfDirectory(atPath: folder.path).sorted() == ["kept", "old"])
  }

  private final class Doubler: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { $0 * 2 } }
    override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Int).map { $0 / 2 } }
  }

  @Test("Value transformers are found by their names")
  func transformers() throws {
    let name = NSValueTransformerName("Doubler-\(UUID().uuidString)")
    #expect(ValueTransformer(forName: name) == nil)
    ValueTransformer.setValueTransformer(Doubler(), forName: name)
    let found = try #require(ValueTransformer(forName: name))
    #expect(found.transformedValue(3) as? Int == 6 && found.reverseTransformedValue(6) as? Int == 3)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
    let negation = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
    #expect(negation.transformedValue(true) as? Bool == false)
    #expect(negation.reverseTransformedValue(false) as? Bool == true)
    #expect(
      ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
    #expect(
      ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(nil) as? Bool == false)
    #expect(ValueTransformer().transformedValue("a") as? String == "a")
  }

  @Test("A locale names its language and its country")
  func locale() {
    let swiss = Locale(identifier: "de_CH") as NSLocale
    #expect(swiss.languageCode == "de" && swiss.countryCode == "CH")
    #expect((Locale(identifier: "eo") as NSLocale).countryCode == nil)
  }

  @Test("Access to a file outside of a sandbox is always granted")
  func securityScope() {
    let url = URL(fileURLWithPath: "/tmp")
    #expect(url.startAccessingSecurityScopedResource())
    url.stopAccessingSecurityScopedResource()
    #expect((url as NSURL).startAccessingSecurityScopedResource())
    (url as NSURL).stopAccessingSecurityScopedResource()
  }

  @Test("objc_sync_enter excludes other threads, and a thread may enter twice")
  func locks() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5_000 {
        objc_sync_enter(counter)
        #expect(objc_sync_enter(counter) == 0)
        counter.count += 1
        objc_sync_exit(counter)
        objc_sync_exit(counter)
      }
    }
    #expect(counter.count == 20_000)
    #expect(objc_sync_exit(counter) == -1)
  }

  @Observable
  final class Setting {
    var value = 1
  }

  @Test("Observable classes need no further import")
  func observable() {
    let setting = Setting()
    let changed = Counter()
    withObservationTracking {
      _ = setting.value
    } onChange: {
      changed.count += 1
    }
    setting.value = 2
    #expect(changed.count == 1)
  }

  @Test("Numbers with fractions are floating-point numbers")
  func numbers() {
    #expect(
      CFNumberIsFloatType(NSNumber(value: 0.5)) && CFNumberIsFloatType(NSNumber(value: Float(1))))
    #expect(!CFNumberIsFloatType(NSNumber(value: 3)) && !CFNumberIsFloatType(NSNumber(value: true)))
  }

  @Test("Numbers are made of integers by naming an initialiser")
  func numbersOfIntegers() {
    let shape = [1, 3, 224]
    #expect(shape.map(NSNumber.init) == [1, 3, 224])
    // Closures choose as before.
    #expect(shape.map { NSNumber(value: $0 * 2) } == [2, 6, 448])
    #expect(shape.map { $0 * 2 } == [2, 6, 448])
    #expect(shape.map(String.init) == ["1", "3", "224"])
  }

  @Test("CGFloat takes numbers as Swift's other types do")
  func floatsOfNumbers() {
    #expect(CGFloat(truncating: NSNumber(value: 0.25)) == 0.25)
    #expect(CGFloat(exactly: NSNumber(value: 3)) == 3)
    #expect(CGFloat(exactly: NSNumber(value: UInt64.max)) == nil)
  }

  @Test("Bytes are copied, set and compared through the addresses of buffers")
  func bytes() {
    var target: [UInt8] = [0, 0, 0]
    let source: [UInt8] = [1, 2, 3]
    source.withUnsafeBufferPointer { source in
      target.withUnsafeMutableBufferPointer { target in
        memcpy(target.baseAddress, source.baseAddress, 2)
        #expect(memcmp(target.baseAddress, source.baseAddress, 2) == 0)
        #expect(memcmp(target.baseAddress, source.baseAddress, 3) < 0)
        memmove(target.baseAddress! + 1, target.baseAddress, 2)
      }
    }
    #expect(target == [1, 1, 2])
    target.withUnsafeMutableBufferPointer { _ = memset($0.baseAddress, 7, 2) }
    #expect(target == [7, 7, 2])
    // Pointers to a type, which Swift converts, leave the choice of the function to Swift.
    let numbers = UnsafeMutablePointer<Float>.allocate(capacity: 2)
    defer { numbers.deallocate() }
    memset(numbers, 0, 2 * MemoryLayout<Float>.stride)
    memcpy(numbers + 1, [Float(3)], MemoryLayout<Float>.stride)
    #expect(numbers[0] == 0 && numbers[1] == 3 && memcmp(numbers, numbers + 1, 4) != 0)
    let none: UnsafeMutableRawPointer? = nil
    #expect(memcpy(none, none, 0) == nil && memset(none, 1, 0) == nil && memcmp(none, none, 0) == 0)
  }

  @Test("A progress without arguments has no parent and no units")
  func progress() {
    let progress = Progress()
    #expect(progress.totalUnitCount == 0 && progress.fractionCompleted == 0)
    progress.addChild(Progress(totalUnitCount: 2), withPendingUnitCount: 1)
    progress.totalUnitCount = 1
    #expect(progress.completedUnitCount == 0 && !progress.isFinished)
  }

  @Test("The texts of utsname have the stated length")
  func machine() {
    var name = utsname()
    #expect(uname(&name) == 0)
    let machine: String = withUnsafePointer(to: &name.machine) {
      $0.withMemoryRebound(to: CChar.self, capacity: Int(_SYS_NAMELEN)) { String(cString: $0) }
    }
    #expect(_SYS_NAMELEN == 65 && ["x86_64", "aarch64"].contains(machine))
  }

  @Test("Bytes compressed with zlib come back, from streams of other programs, too")
  func compression() throws {
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) })
    for data in [bytes, Data(), Data([7])] {
      let packed: NSData = try NSData(data: data).compressed(using: .zlib)
      #expect(Data(referencing: try packed.decompressed(using: .zlib)) == data)
    }
    #expect(try NSData(data: bytes).compressed(using: .zlib).length < bytes.count)
    // "atelier atelier atelier\n", as Python's zlib.compressobj(5, zlib.DEFLATED, -15) packs it.
    let stream: [UInt8] = [
      0x4B, 0x2C, 0x49, 0xCD, 0xC9, 0x4C, 0x2D, 0x52, 0x48, 0x44, 0xA5, 0xB9, 0x00,
    ]
    let text: NSData = try NSData(data: Data(stream)).decompressed(using: .zlib)
    #expect(String(decoding: Data(referencing: text), as: UTF8.self) == "atelier atelier atelier\n")
    let changing = NSMutableData(data: bytes)
    try changing.compress(using: .zlib)
    #expect(changing.length < bytes.count)
    try changing.decompress(using: .zlib)
    #expect(Data(referencing: changing) == bytes)
  }

  @Test("Damaged and cut streams, and other algorithms, throw an error with one sentence")
  func badCompression() throws {
    let packed = Data(
      referencing: try NSData(data: Data(repeating: 3, count: 5000)).compressed(using: .zlib))
    let cut: NSData = NSData(data: packed.dropLast(2))
    let damaged = NSData(data: Data([0xFF, 0xFF, 0x00, 0x11]))
    for data in [cut, damaged, NSData()] {
      let error = #expect(throws: CocoaError.self) { try data.decompressed(using: .zlib) }
      #expect(error?.code == .fileReadCorruptFile)
      #expect(error?.localizedDescription.contains("DEFLATE") == true)
    }
    let error = #expect(throws: CocoaError.self) { try cut.compressed(using: .lzfse) }
    #expect(error?.code == .featureUnsupported)
    #expect(error?.localizedDescription.contains("lzfse, expected zlib") == true)
  }
}
