/// What is known about the modules that programs for Apple's systems import.
public enum KnownModules {
  /// Apple's modules that Atelier contains.
  public static let provided: Set<String> = [
    "AVFAudio", "AVFoundation", "Accelerate", "AppleFoundation", "Combine", "CoreAudioTypes",
    "CoreFoundation", "CoreGraphics", "CoreImage", "CoreML", "CoreMedia", "CoreVideo", "CreateML",
    "CryptoKit", "ImageIO", "NaturalLanguage", "OSLog", "QuartzCore", "UniformTypeIdentifiers",
    "VideoToolbox", "Vision", "os",
  ]

  /// Modules of Swift's toolchain for Linux.
  public static let toolchain: Set<String> = [
    "Cxx", "Dispatch", "Distributed", "Foundation", "FoundationEssentials",
    "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc",
    "Observation", "PackageDescription", "PackagePlugin", "RegexBuilder", "Swift",
    "Synchronization",
    "Testing", "XCTest", "_Concurrency", "_Differentiation", "_StringProcessing",
  ]

  /// Modules for windows and graphics processors. A file that imports one belongs to a program's interface.
  public static let interface: Set<String> = [
    "AVKit", "AppIntents", "AppKit", "ARKit", "Charts", "Cocoa", "CoreLocationUI", "Metal",
    "MetalFX", "MetalKit", "MetalPerformanceShaders", "MetalPerformanceShadersGraph", "PDFKit",
    "PhotosUI", "Quartz", "RealityKit", "SafariServices", "SceneKit", "ScreenCaptureKit",
    "SpriteKit",
    "SwiftUI", "TipKit", "UIKit", "VisionKit", "WatchKit", "WebKit", "WidgetKit",
  ]

  private static let guarded = "Put the code into `#if canImport(%)`, which is false on Linux"

  private static let advice: [String: String] = [
    "AVKit": "\(guarded); there is no film player.",
    "AppKit":
      "\(guarded); read pictures with `CGImageSource` instead of `NSImage`, and pass `CGImage`s or URLs.",
    "ARKit": "\(guarded).",
    "AudioToolbox":
      "Read and write sound with `AVAudioFile`, convert it with `AVAudioConverter`; nothing plays sound.",
    "Cocoa":
      "\(guarded); read pictures with `CGImageSource` instead of `NSImage`, and pass `CGImage`s or URLs.",
    "CommonCrypto": "Use `CryptoKit`: `SHA256.hash(data:)`.",
    "Compression": "Use `NSData.compressed(using: .zlib)`, or zlib through a C module.",
    "CoreAudio": "Import `AVFAudio`: it has `AudioBufferList` and the formats.",
    "CoreData": "\(guarded); store data with `Codable` or SQLite.",
    "CoreLocation": "\(guarded).",
    "CoreMotion": "\(guarded); there are no sensors.",
    "CoreText": "There is no drawing of text; use Pango or cairo through a C module.",
    "Crypto": "Add Apple's package swift-crypto, or import `CryptoKit`.",
    "Darwin": "Write `#if canImport(Darwin) import Darwin #else import Glibc #endif`.",
    "FoundationModels": "\(guarded); there is no system model.",
    "IOKit": "\(guarded); read `/proc` and `/sys` instead.",
    "MachO": "\(guarded).",
    "Metal": "\(guarded); models run on the processor, whatever `computeUnits` says.",
    "MetalKit": "\(guarded); models run on the processor.",
    "MetalPerformanceShaders": "\(guarded); use `Accelerate` or `MLTensor`.",
    "MetalPerformanceShadersGraph": "\(guarded); use `MLTensor`.",
    "Network": "Use Foundation's `URLSession` or SwiftNIO.",
    "ObjectiveC": "There is no Objective-C runtime; remove `@objc` and selectors.",
    "PDFKit": "\(guarded); turn pages into pictures with `pdftoppm`.",
    "Photos": "\(guarded); read picture files.",
    "PhotosUI": "\(guarded); read picture files.",
    "RealityKit": "\(guarded).",
    "Security": "Keep secrets in files that only their owner can read; there is no keychain.",
    "SoundAnalysis": "Run the model itself with `CoreML`.",
    "Speech": "Run a model for speech with `CoreML`.",
    "StoreKit": "\(guarded).",
    "SwiftUI": "\(guarded); keep views in a target of their own.",
    "System": "Add Apple's package swift-system and import `SystemPackage`.",
    "Translation": "Run a model for translation with `CoreML`.",
    "UIKit":
      "\(guarded); read pictures with `CGImageSource` instead of `UIImage`, and pass `CGImage`s or URLs.",
    "VisionKit": "\(guarded).",
    "WatchKit": "\(guarded).",
    "simd": "Use Swift's own `SIMD2`, `SIMD3` and `SIMD4`.",
  ]

  /// Returns what to write instead of a module that does not exist on Linux.
  public static func advice(for module: String) -> String {
    if let known = advice[module] { return known.replacing("%", with: module) }
    if interface.contains(module) { return guarded.replacing("%", with: module) + "." }
    return
      "It is no module of Apple's that Atelier knows: add the package that contains it, if that"
      + " package builds on Linux."
  }

  /// Returns an error of the compiler with what to write instead, if that is known.
  static func advised(_ message: Substring) -> String {
    if message.hasPrefix("Objective-C interoperability is disabled") {
      return "\(message): remove `@objc`, or write it between `#if canImport(ObjectiveC)` and"
        + " `#endif`"
    }
    if message.hasPrefix("expression is 'async' but is not marked with 'await'") {
      return "\(message): in an `async` function, Swift prefers the asynchronous method; write"
        + " `await`"
    }
    return String(message)
  }

  /// Returns whether a module exists on Linux with Atelier.
  public static func exists(_ module: String) -> Bool {
    provided.contains(module) || toolchain.contains(module)
  }
}
