"""Java and Kotlin, built by Maven or Gradle: facts, environments and goals of its projects."""
