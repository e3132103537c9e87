import CoreFoundation
import CoreVideo
import Foundation
import Testing

/// Tests that a file can import CoreFoundation together with modules that use CoreFoundation's types, as iOS code does.
struct CoreFoundationTests {
  @Test(
    "CoreFoundation's types are unambiguous together with CoreVideo, and its functions exist")
  func together() throws {
    let attributes =
      [
        kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue!,
        kCVPixelBufferPixelFormatTypeKey: NSNumber(value: kCVPixelFormatType_32BGRA),
      ] as CFDictionary
    var made: CVPixelBuffer?
    let status: CVReturn = CVPixelBufferCreate(
      kCFAllocatorDefault, 4, 3, kCVPixelFormatType_32BGRA, attributes, &made)
    #expect(status == kCVReturnSuccess)
    #expect(made.map { CVPixelBufferGetWidth($0) } == 4)
    let name: CFString = "name" as CFString
    let file = URL(fileURLWithPath: "/tmp/x.png") as CFURL
    let bytes = Data([1, 2]) as CFData
    let count: CFIndex = bytes.count
    #expect(name == "name" && file.lastPathComponent == "x.png" && count == 2)
    #expect(CFAbsoluteTimeGetCurrent() > 0)
  }
}
