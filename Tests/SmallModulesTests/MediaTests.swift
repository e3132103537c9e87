import CoreMedia
import CoreVideo
import Foundation
import Testing

/// The expected values are computed by hand from the rules in Apple's documentation of CMTime.
@Suite("Times of CoreMedia")
struct MediaTests {
  private func time(_ value: Int64, _ scale: Int32) -> CMTime {
    CMTime(value: value, timescale: scale)
  }

  @Test("A sum has the least common multiple of the timescales")
  func sum() {
    let sum: CMTime = time(1, 30) + time(1, 25)
    #expect(sum.value == 11 && sum.timescale == 150 && !sum.hasBeenRounded)
    let same: CMTime = time(5, 600) + time(7, 600)
    #expect(same.value == 12 && same.timescale == 600)
    let difference: CMTime = time(1001, 30_000) - time(1, 24)
    // 1001/30000 - 1250/30000
    #expect(difference.value == -249 && difference.timescale == 30_000)
  }

  @Test("A timescale that is too large is capped, and the sum is rounded")
  func capped() {
    let sum: CMTime = time(1, 2_000_000_011) + time(1, 2_000_000_003)
    #expect(sum.timescale == kCMTimeMaxTimescale && sum.hasBeenRounded)
    // (1/2000000011 + 1/2000000003) · 2147483647 = 2.147…
    #expect(sum.value == 2)
    #expect((sum + time(1, 1)).hasBeenRounded)
  }

  @Test("A sum that is too large halves its timescale, and becomes infinite at last")
  func overflow() {
    let sum: CMTime = time(.max, 4) + time(.max, 4)
    #expect(sum.timescale == 2 && sum.value == .max && !sum.hasBeenRounded)
    let odd: CMTime = time(.max, 4) + time(2, 4)
    #expect(odd.timescale == 2 && odd.value == 4_611_686_018_427_387_905 && odd.hasBeenRounded)
    #expect((time(.max, 1) + time(1, 1)).isPositiveInfinity)
    #expect((time(.min, 1) - time(1, 1)).isNegativeInfinity)
  }

  @Test("Infinite, indefinite and invalid times have the sums of Apple's table")
  func special() {
    let (up, down) = (CMTime.positiveInfinity, CMTime.negativeInfinity)
    #expect((up + up).isPositiveInfinity && (down + down).isNegativeInfinity)
    #expect(!(up + down).isValid && !(up - up).isValid)
    #expect((up - down).isPositiveInfinity && (down - up).isNegativeInfinity)
    #expect((up + .indefinite).isPositiveInfinity && (time(1, 1) + .indefinite).isIndefinite)
    #expect(!(CMTime.invalid + up).isValid)
    #expect((time(1, 1) - up).isNegativeInfinity)
  }

  @Test("Times of different timelines compare by timeline and have no sum")
  func timelines() {
    let first = CMTimeMakeWithEpoch(value: 9, timescale: 1, epoch: 1)
    let second = CMTimeMakeWithEpoch(value: 1, timescale: 1, epoch: 2)
    #expect(first < second && !(first + second).isValid)
    #expect((first + first).epoch == 0 && (first + time(1, 1)).epoch == 1)
  }

  @Test("The order is -inf, numbers, indefinite, +inf, invalid")
  func order() {
    let ordered: [CMTime] = [
      .negativeInfinity, time(-1, 1), .zero, time(1, 3), time(2, 3), .indefinite,
      .positiveInfinity, .invalid,
    ]
    #expect(ordered.reversed().sorted() == ordered)
    #expect(time(1, 2) == time(300, 600) && time(1, 2).hashValue == time(300, 600).hashValue)
    #expect(time(Int64.max, 2_147_483_647) > time(Int64.max - 1, 2_147_483_647))
    #expect(CMTimeMaximum(time(1, 3), time(1, 2)) == time(1, 2))
  }

  @Test(
    "Each rounding method rounds as its name says",
    arguments: [
      (CMTimeRoundingMethod.default, [2, -2, 1, -1]), (.roundTowardZero, [1, -1, 1, -1]),
      (.roundAwayFromZero, [2, -2, 2, -2]), (.roundTowardPositiveInfinity, [2, -1, 2, -1]),
      (.roundTowardNegativeInfinity, [1, -2, 1, -2]), (.quickTime, [1, -1, 1, -1]),
    ] as [(CMTimeRoundingMethod, [Int64])])
  func rounding(_ method: CMTimeRoundingMethod, _ expected: [Int64]) {
    let found: [Int64] = [time(15, 10), time(-15, 10), time(14, 10), time(-14, 10)].map {
      $0.convertScale(1, method: method).value
    }
    #expect(found == expected)
    #expect(time(15, 10).convertScale(1, method: method).hasBeenRounded)
    #expect(!time(20, 10).convertScale(1, method: method).hasBeenRounded)
  }

  @Test("QuickTime's rounding keeps negative times below zero and rounds up to finer scales")
  func quickTime() {
    #expect(time(-1, 10).convertScale(1, method: .quickTime).value == -1)
    #expect(time(1, 3).convertScale(10, method: .quickTime).value == 4)
    #expect(time(-1, 3).convertScale(10, method: .quickTime).value == -4)
  }

  @Test("Seconds are cut off after the last unit")
  func seconds() {
    // For 2.87 seconds at the timescale 1, Apple's warning states the error -0.870.
    let cut = CMTime(seconds: 2.87, preferredTimescale: 1)
    #expect(cut.value == 2 && cut.hasBeenRounded)
    let exact = CMTimeMakeWithSeconds(0.5, preferredTimescale: 600)
    #expect(exact.value == 300 && !exact.hasBeenRounded && CMTimeGetSeconds(exact) == 0.5)
    #expect(CMTime(seconds: 1e10, preferredTimescale: 1_000_000_000).timescale == 500_000_000)
    #expect(CMTime(seconds: .infinity, preferredTimescale: 1).isPositiveInfinity)
    #expect(!CMTime(seconds: 1, preferredTimescale: 0).isValid)
    #expect(CMTime.indefinite.seconds.isNaN)
  }

  @Test("Products keep or double the timescale")
  func products() {
    let whole: CMTime = CMTimeMultiply(time(7, 30), multiplier: -3)
    #expect(whole.value == -21 && whole.timescale == 30)
    let half: CMTime = CMTimeMultiplyByFloat64(time(1, 30), multiplier: 0.5)
    #expect(half.timescale == 122_880 && half.value == 2048 && !half.hasBeenRounded)
    let third: CMTime = CMTimeMultiplyByFloat64(time(1, 90_000), multiplier: 1.0 / 3)
    #expect(third.timescale == 90_000 && third.value == 0 && third.hasBeenRounded)
    let ratio: CMTime = CMTimeMultiplyByRatio(time(1, 600), multiplier: 1, divisor: 7)
    #expect(ratio.value == 1 && ratio.timescale == 4200 && !ratio.hasBeenRounded)
    #expect(CMTimeMultiply(.positiveInfinity, multiplier: -1).isNegativeInfinity)
    #expect(CMTimeMultiply(time(.max, 1), multiplier: 2).isPositiveInfinity)
    #expect(CMTimeAbsoluteValue(time(-3, 5)) == time(3, 5))
  }

  @Test("Ranges contain their start but not their end")
  func ranges() {
    let range = CMTimeRange(start: time(1, 1), duration: time(2, 1))
    #expect(range.containsTime(time(1, 1)) && !range.containsTime(time(3, 1)))
    #expect(range.end == time(3, 1) && !range.isEmpty && CMTimeRange.zero.isEmpty)
    let other = CMTimeRangeFromTimeToTime(start: time(5, 2), end: time(10, 1))
    #expect(range.intersection(other) == CMTimeRange(start: time(5, 2), end: time(3, 1)))
    #expect(range.union(other) == CMTimeRange(start: time(1, 1), end: time(10, 1)))
    #expect(!CMTimeRange.invalid.isValid)
    #expect(!CMTimeRange(start: .zero, duration: time(-1, 1)).isValid)
  }

  @Test("A sample buffer holds a pixel buffer and its times")
  func sample() throws {
    var pixels: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 4, 3, kCVPixelFormatType_32BGRA, nil, &pixels)
    let buffer = try #require(pixels)
    var format: CMVideoFormatDescription?
    CMVideoFormatDescriptionCreateForImageBuffer(
      allocator: kCFAllocatorDefault, imageBuffer: buffer, formatDescriptionOut: &format)
    var timing = CMSampleTimingInfo(
      duration: time(1, 30), presentationTimeStamp: time(10, 30), decodeTimeStamp: .invalid)
    var made: CMSampleBuffer?
    CMSampleBufferCreateReadyWithImageBuffer(
      allocator: kCFAllocatorDefault, imageBuffer: buffer,
      formatDescription: try #require(format), sampleTiming: &timing, sampleBufferOut: &made)
    let sample = try #require(made)
    #expect(CMSampleBufferGetImageBuffer(sample) === buffer)
    #expect(CMSampleBufferGetPresentationTimeStamp(sample) == time(1, 3))
    #expect(sample.formatDescription?.dimensions == CMVideoDimensions(width: 4, height: 3))
  }
}
