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

@Suite("Tokens of CoreFoundation")
struct StringTokenizerTests {
  private static func tokens(_ text: String, _ unit: CFOptionFlags, _ locale: String) -> [String] {
    let tokenizer = CFStringTokenizerCreate(
      nil, text as CFString, CFRangeMake(0, CFStringGetLength(text as CFString)), unit,
      Locale(identifier: locale) as CFLocale)
    var found: [String] = []
    while CFStringTokenizerAdvanceToNextToken(tokenizer) != [] {
      let range: CFRange = CFStringTokenizerGetCurrentTokenRange(tokenizer)
      let units = Array(text.utf16)[range.location..<range.location + range.length]
      found.append(String(decoding: units, as: UTF16.self))
    }
    return found
  }

  @Test("A tokenizer gives words, words with what is between them, sentences and paragraphs")
  func units() {
    #expect(Self.tokens("Hi, you 2!", kCFStringTokenizerUnitWord, "en") == ["Hi", "you", "2"])
    #expect(
      Self.tokens("Hi, you", kCFStringTokenizerUnitWordBoundary, "en") == ["Hi", ",", " ", "you"])
    #expect(
      Self.tokens("Mr. Li. Who?", kCFStringTokenizerUnitSentence, "en") == ["Mr. Li. ", "Who?"])
    #expect(Self.tokens("a b\n\nc", kCFStringTokenizerUnitParagraph, "en") == ["a b\n", "\n", "c"])
    #expect(Self.tokens("今日は良い", kCFStringTokenizerUnitWord, "ja_JP") == ["今日", "は", "良い"])
  }

  @Test("A token has a transcription, but a Japanese word with kanji has none")
  func transcription() {
    func latin(_ text: String, _ locale: String) -> String? {
      let tokenizer = CFStringTokenizerCreate(
        nil, text, CFRangeMake(0, CFStringGetLength(text)), kCFStringTokenizerUnitWord,
        Locale(identifier: locale))
      #expect(CFStringTokenizerGoToTokenAtIndex(tokenizer, 0) != [])
      return CFStringTokenizerCopyCurrentTokenAttribute(
        tokenizer, kCFStringTokenizerAttributeLatinTranscription) as? String
    }
    #expect(latin("你好", "zh") == "nǐ hǎo")
    #expect(latin("カタカナ", "ja") == "katakana")
    #expect(latin("漢字", "ja") == nil)
  }

  @Test("Positions without a token give no type and no range")
  func nothing() {
    let tokenizer = CFStringTokenizerCreate(
      nil, "a b", CFRangeMake(0, 3), kCFStringTokenizerUnitWord, nil)
    #expect(CFStringTokenizerGetCurrentTokenRange(tokenizer).location == -1)
    #expect(CFStringTokenizerGoToTokenAtIndex(tokenizer, 1) == [])
    #expect(CFStringTokenizerGoToTokenAtIndex(tokenizer, 9) == [])
  }
}
