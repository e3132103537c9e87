import CoreML
import Foundation
import QuartzCore
import Testing
import Vision

@Suite("Clocks, pools and frames")
struct TimeTests {
  @Test("The media time goes on with the monotonic clock")
  func mediaTime() {
    let first: Double = CACurrentMediaTime()
    usleep(20_000)
    let passed: Double = CACurrentMediaTime() - first
    #expect(passed >= 0.02 && passed < 5)
  }

  @Test("The absolute time counts seconds from 2001")
  func absoluteTime() {
    #expect(abs(CFAbsoluteTimeGetCurrent() - Date().timeIntervalSinceReferenceDate) < 1)
  }

  @Test("An autorelease pool returns the closure's result and throws its error")
  func pool() {
    #expect(autoreleasepool { 3 } == 3)
    #expect(throws: CocoaError.self) { try autoreleasepool { throw CocoaError(.fileNoSuchFile) } }
  }

  @Test("A handler takes the pixels of a video frame")
  func frame() throws {
    var pixels: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 64, 48, kCVPixelFormatType_32BGRA, nil, &pixels)
    let buffer = try #require(pixels)
    let sample = try CMSampleBuffer(
      imageBuffer: buffer, formatDescription: CMFormatDescription(imageBuffer: buffer),
      sampleTiming: CMSampleTimingInfo(
        duration: CMTime(value: 1, timescale: 30), presentationTimeStamp: .zero,
        decodeTimeStamp: .invalid))
    let handler = VNImageRequestHandler(cmSampleBuffer: sample, orientation: .right, options: [:])
    #expect(throws: Never.self) { try handler.perform([]) }
  }
}
